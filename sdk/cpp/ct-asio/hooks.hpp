// hooks.hpp - the hooks of asio's handler tracking; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

// Who runs here, or begins an operation and was said to be suspended before; 0: no coroutine.
inline uint64_t acts() noexcept
{
	uint64_t runs = ct_current();

	return runs ? runs : mine().now.id;
}
// By co_spawn(), for an executor to begin it.
inline void spawned(frame_part *who) noexcept
{
	if (who && !who->inner() && who->ct_id())
		ct_wake_for_(acts(), who->ct_id(), ct_nothing(), nullptr);
}
inline void created(tracked &h, bool own, bool erased, bool direct, const char *type, void *object,
	uintmax_t native, const char *op) noexcept
{
	thread_state &s = mine();
	uint64_t runs = ct_current();

	own = own || (erased && s.now.queues);
	if (own && s.now.who && (!runs || runs == s.now.id)) {
		frame_part *who = std::exchange(s.now.who, nullptr);
		uint64_t seen = s.now.id;
		bool queued = sort_of(type) == sort::executor;

		h.for_ = { s.now.id, ct_nothing(), queued };
		if (!queued)
			h.for_.what = thing_of(type, object, native, op);
		if (!s.now.claim->compare_exchange_strong(
			    seen, s.now.id | BUSY, std::memory_order_acq_rel)) {
			h.for_ = {};		// it runs already
			return;
		}
		who->known(h.for_.what);
		if (direct && !queued)
			h.put_at(object);
		s.now.claim->store(0, std::memory_order_release);
	} else if (s.now.others = true; s.completing.id && runs == s.completing_in) {
		bool was_woken = s.completing.woken, queued = sort_of(type) == sort::executor;

		h.for_ = s.completing;
		h.for_.woken = was_woken || queued;
		if (queued)			// it has gone from here
			s.completing = {};
		if (was_woken)
			return;
	} else if ((own || erased) && !h.for_.id && sort_of(type) == sort::executor) {
		h.for_.posted = true;		// a handler that the program kept
		h.for_.by = acts();
	}
	if (!h.for_.id || !h.for_.woken)
		return;

	bool at_once = s.now.id == h.for_.id;
	uint8_t kind = h.for_.what.kind;

	// A plain handler, or thread, takes from a channel whose room is gone again, or puts into one.
	if (!acts() && (kind == CT_ON_CHAN || kind == CT_ON_ROOM))
		ct_level_for(0, h.for_.what, 0);
	ct_wake_for_(at_once ? 0 : acts(), h.for_.id, h.for_.what, nullptr);
}
template <class Context, class Op> void creation(Context &, Op &h, const char *type, void *object,
	uintmax_t native, const char *op) noexcept
{
	// One of several operations that somebody waits for at once, the time limit of one, or a
	// strand's own turn is not what is waited for.
	constexpr std::string_view of = __PRETTY_FUNCTION__;
	constexpr bool part = of.find("parallel_group") != of.npos ||
		of.find("timed_cancel_timer") != of.npos || of.find("::invoker<") != of.npos;

	// And what else is posted meanwhile has not the coroutine's handler in it.
	constexpr bool own = of.find("awaitable_handler") != of.npos ||
		of.find("awaitable_async_op_handler") != of.npos;
	constexpr bool erased = of.find("executor_function") != of.npos;

	// A step of a composed operation ends with it, or is followed by another.
	constexpr bool direct = of.find("op<", of.find('<', of.find("Op = ")) + 1) == of.npos;

	if (!ct_enabled())
		return;
	if constexpr (!own)
		h.is = &handler_name<Op>::site;
	if (part)
		mine().now.others = true;
	else
		created(h, own, erased, direct, type, object, native, op);
}
class completion {
public:
	explicit completion(tracked &h) noexcept
	{
		if (!ct_enabled())
			return;
		thread_state &s = mine();

		if (s.worker != generation) {
			s.worker = generation;
			ct_thread_(CT_WORKER, nullptr);
		}
		state_ = &s;
		h.take_out();
		for_ = h.for_;
		is_ = h.is;
		outer_ = std::exchange(s.completing, {});
	}
	~completion()
	{
		if (state_)
			state_->completing = outer_;
		if (called_)
			ct_callback_end();
	}
	completion(const completion &) = delete;
	// Not where a handler is destroyed unrun: what is posted then takes its coroutine apart.
	template <class... A> void invocation_begin(const A &...) noexcept
	{
		if (!state_)
			return;
		state_->completing = for_;
		state_->completing_in = ct_current();
		if ((called_ = !for_.id))
			ct_callback_(is_);
	}
	void invocation_end() noexcept
	{
		if (state_)
			state_->completing = {};
	}

private:
	thread_state *state_ = nullptr;
	waiting for_, outer_;
	ct_site *is_ = nullptr;
	bool called_ = false;	// what it runs is no coroutine
};
inline void moves(const void *timer) noexcept
{
	if (ct_enabled())
		tracked::moved(timer);
}
// An event that comes when nobody waits for it.
inline void notified_nobody(const void *timer) noexcept
{
	if (ct_enabled() && timer_of(timer).kind == CT_ON_COND)
		ct_notify_at(ct_cond(timer), 0, 0);
}
template <class Context> void operation(
	Context &, const char *type, void *object, uintmax_t native, const char *op) noexcept
{
	bool is_file = !std::strcmp(type, "socket") || !std::strcmp(type, "descriptor");
	bool closes = !std::strcmp(op, "close");

	if (!ct_enabled() || (!is_file && std::strcmp(type, "deadline_timer")))
		return;
	if (!closes && std::strncmp(op, "cancel", 6))
		return;

	on fd = ct_fd(int(native));
	unsigned most = std::strcmp(op, "cancel_one") ? ~0u : 1;

	if (!tracked::wake(object, is_file ? &fd : nullptr, most) && !is_file)
		notified_nobody(object);
	if (closes && is_file)
		ct_close_at(fd, 0);
}

} // namespace ct::aio
