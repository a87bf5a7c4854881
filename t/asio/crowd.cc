// crowd.cc - many wait, and are woken one by one: each of a timer of its own, and all of one. It ends with 1 where that takes longer for each
// as they are more; or where close_range() takes a call for each of the numbers.
#include <algorithm>
#include <ctime>
#include <memory>
#include <unistd.h>
#include <vector>
#include "flavour.hpp"

namespace crowd {
static asio::awaitable<void> waits(asio::steady_timer &t)
{
	asio_error e;

	co_await t.async_wait(asio::redirect_error(asio::use_awaitable, e));
}
// The processor's time, in ns.
template <class F> double used_by(F f)
{
	timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	f();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	return double(to.tv_sec - from.tv_sec) * 1e9 + double(to.tv_nsec - from.tv_nsec);
}
// For each cancellation.
static double cancels(int many, bool of_one)
{
	asio::io_context io;
	std::vector<std::unique_ptr<asio::steady_timer>> all;

	for (int i = 0; i < many; i++) {
		all.emplace_back(new asio::steady_timer(io, asio::steady_timer::time_point::max()));
		asio::co_spawn(io, waits(*all[of_one ? 0 : i]), asio::detached);
	}
	io.poll();
	double each = used_by([&] {
		for (int i = 0; i < many; i++)
			all[of_one ? 0 : i]->cancel_one();
	}) / many;
	io.poll();
	return each;
}

static int main(int, char **)
{
	for (bool of_one : { false, true }) {
		double few = 1e9, many = 1e9;

		for (int i = 0; i < 3; i++) {
			few = std::min(few, cancels(1000, of_one));
			many = std::min(many, cancels(30000, of_one));
		}
		std::fprintf(stderr, "%.0f ns of 1000, %.0f of 30000\n", few, many);
		if (many > 8 * few)
			return 1;
	}
#if defined SYS_close_range
	double call = 1e9, range = 1e9;

	for (int i = 0; i < 3; i++) {
		call = std::min(call, used_by([] {
			for (int fd = 1000; fd < 1 << 16; fd++)
				getppid();
		}));
		range = std::min(range, used_by([] { close_range(1000, ~0u, 0); }));
	}
	std::fprintf(stderr, "%.0f ns of close_range(), %.0f of as many calls\n", range, call);
	if (range > call / 3)
		return 1;
#endif
	return 0;
}
}
