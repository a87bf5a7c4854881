// object.hpp - what is waited for, by the object of asio's that an operation is of; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

// asio names a timer's implementation, which begins with the time when it expires, in nanoseconds of
// the steady or the system clock; other clocks are recognized by being far from both.
inline on timer_of(const void *object) noexcept
{
	constexpr int64_t year = 365 * 86400 * int64_t(1000000000);
	int64_t at, steady, real;
	struct timespec t;

	std::memcpy(&at, object, sizeof at);
	clock_gettime(CLOCK_MONOTONIC, &t);
	steady = t.tv_sec * int64_t(1000000000) + t.tv_nsec;
	clock_gettime(CLOCK_REALTIME, &t);
	real = t.tv_sec * int64_t(1000000000) + t.tv_nsec;
	if (at == INT64_MAX)
		return ct_cond(object);
	if (at < steady + year && at >= 0)
		return ct_timer(uint64_t(at));
	if (at < real + year && at > real - year)
		return ct_timer(at > real - steady ? uint64_t(at - real + steady) : 0);
	return ct_any(CT_ON_TIMER);
}

enum class sort { thing, executor };
inline sort sort_of(const char *type) noexcept
{
	return !std::strncmp(type, "strand", 6) || !std::strcmp(type, "io_context") ||
			!std::strcmp(type, "thread_pool") || !std::strcmp(type, "system_executor") ?
		sort::executor :
		sort::thing;
}
inline on thing_of(const char *type, void *object, uintmax_t native, const char *op) noexcept
{
	if (!std::strcmp(type, "deadline_timer"))
		return timer_of(object);
	if (!std::strcmp(type, "channel"))
		return !std::strcmp(op, "async_send") ? ct_room(object) : ct_chan(object);
	if (!std::strcmp(type, "socket") || !std::strcmp(type, "descriptor"))
		return ct_fd(int(native));
	return ct_user(type);
}

} // namespace ct::aio
