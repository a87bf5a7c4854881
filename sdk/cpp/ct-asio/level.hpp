// level.hpp - what is reported of asio's channels; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

// Of a channel that is asio's, as it was reported last.
struct channel_ends {
	const void *channel;
	bool known;		// levels were reported: not before it was made as a whole, or moved
	bool items, room, no_items, no_room;	// there are some; there will be none any more
};
inline void report(channel_ends &was, channel_ends is) noexcept
{
	on item = ct_chan(is.channel), room = ct_room(is.channel);
	uint64_t by = acts();

	if (was.no_items > is.no_items)			// it was reset
		ct_open_at(item, nullptr, 0);
	if (was.no_room > is.no_room)
		ct_open_at(room, nullptr, 0);
	if (!was.known || was.items != is.items)
		ct_level_for(by, item, is.items);
	if (!was.known || was.room != is.room)
		ct_level_for(by, room, is.room);
	if (was.no_items < is.no_items)
		ct_close_at(item, 0);
	if (was.no_room < is.no_room)
		ct_close_at(room, 0);
	is.known = true;
	was = is;
}
inline void made(channel_ends &was, const void *channel) noexcept
{
	was.channel = channel;				// another may have been here
	ct_open_at(ct_chan(channel), nullptr, 0);
	ct_open_at(ct_room(channel), nullptr, 0);
}

} // namespace ct::aio
