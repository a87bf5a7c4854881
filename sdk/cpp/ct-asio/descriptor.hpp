// descriptor.hpp - the descriptors of asio's reactors, and the C library's calls that close them; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

// The descriptors of its reactors, by number, those that anybody is likely to have.
struct descriptors {
	enum { MOST = 1 << 16, BITS = 64 };
	std::atomic<uint64_t> in[MOST / BITS] = {};

	void put(uintmax_t fd) noexcept
	{
		if (fd < MOST)
			in[fd / BITS].fetch_or(uint64_t(1) << fd % BITS, std::memory_order_relaxed);
	}
	bool has(uintmax_t fd) const noexcept
	{
		return fd < MOST && in[fd / BITS].load(std::memory_order_relaxed) >> fd % BITS & 1;
	}
	bool take(uintmax_t fd) noexcept
	{
		uint64_t its = uint64_t(1) << fd % BITS;

		return has(fd) && in[fd / BITS].fetch_and(~its, std::memory_order_relaxed) & its;
	}
};
inline descriptors reactors_own;
template <class Context> void registered(Context &, uintmax_t native, uintmax_t) noexcept
{
	reactors_own.put(native);
	if (ct_enabled())
		ct_open_at(ct_fd(int(native)), nullptr, 0);
}
template <class Context> void deregistered(Context &, uintmax_t native, uintmax_t) noexcept
{
	reactors_own.take(native);
}
// One of them is closed beneath asio, which never hears of that. The child of a vfork() closes its own, in
// the parent's memory.
__attribute__((noinline)) inline void closing(int fd) noexcept
{
	uintmax_t its = unsigned(fd);

	if (ct_enabled() && reactors_own.has(its) && getpid() == process && reactors_own.take(its))
		ct_close_at(ct_fd(fd), 0);
}
inline void replacing(int from, int to) noexcept
{
	if (from != to && to >= 0 && fcntl(from, F_GETFD) >= 0)
		closing(to);
}
inline void closing(unsigned first, unsigned last, int flags) noexcept
{
	if (flags)			// not now, or in a table of its own
		return;
	for (unsigned fd = first; fd <= last && fd < descriptors::MOST; fd++)
		closing(int(fd));
}
template <class... A> void ignored(A &&...) noexcept {}

} // namespace ct::aio

// The program's own close() and others that close, in the C library's place: what a program closes
// by number asio does not report. By dup2() a number is another file's, of which asio's reactor never
// hears. Weak, for gcc takes no inline fclose().
#if defined __GLIBC__ && !defined CT_ASIO_OWN_CLOSE
#define CT_ASIO_INSTEAD extern "C" __attribute__((weak, used, visibility("default")))
extern "C" int __close(int fd);
extern "C" int __dup2(int from, int to);
extern "C" int _IO_fclose(FILE *f);
CT_ASIO_INSTEAD int close(int fd)
{
	::ct::aio::closing(fd);
	return __close(fd);
}
CT_ASIO_INSTEAD int fclose(FILE *f)
{
	::ct::aio::closing(fileno(f));
	return _IO_fclose(f);
}
CT_ASIO_INSTEAD int dup2(int from, int to) noexcept
{
	::ct::aio::replacing(from, to);
	return __dup2(from, to);
}
CT_ASIO_INSTEAD int dup3(int from, int to, int flags) noexcept
{
	if (from != to && !(flags & ~O_CLOEXEC))
		::ct::aio::replacing(from, to);
	return int(syscall(SYS_dup3, from, to, flags));
}
#if defined SYS_close_range
CT_ASIO_INSTEAD int close_range(unsigned first, unsigned last, int flags) noexcept
{
	::ct::aio::closing(first, last, flags);
	return int(syscall(SYS_close_range, first, last, flags));
}
#endif
#endif
