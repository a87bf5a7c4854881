// crowd.cc - many wait, and are woken one by one: each of a timer of its own, and all of one. It ends with 1 where that takes longer for each
// as they are more.
#include <algorithm>
#include <ctime>
#include <memory>
#include <vector>
#include "flavour.hpp"

namespace crowd {
static asio::awaitable<void> waits(asio::steady_timer &t)
{
	asio_error e;

	co_await t.async_wait(asio::redirect_error(asio::use_awaitable, e));
}
// The processor's time for each cancellation, in ns.
static double cancels(int many, bool of_one)
{
	asio::io_context io;
	std::vector<std::unique_ptr<asio::steady_timer>> all;
	timespec from, to;

	for (int i = 0; i < many; i++) {
		all.emplace_back(new asio::steady_timer(io, asio::steady_timer::time_point::max()));
		asio::co_spawn(io, waits(*all[of_one ? 0 : i]), asio::detached);
	}
	io.poll();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (int i = 0; i < many; i++)
		all[of_one ? 0 : i]->cancel_one();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	io.poll();
	return (double(to.tv_sec - from.tv_sec) * 1e9 + double(to.tv_nsec - from.tv_nsec)) / many;
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
	return 0;
}
}
