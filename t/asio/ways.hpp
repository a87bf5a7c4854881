// ways.hpp - a program of many ways to wait, of which the command line names one: PROGRAM WAY [server]. It ends after 600 ms.
// "server": somebody accepts connections meanwhile, and may do anything.
#ifndef WAYS_HPP
#define WAYS_HPP
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include "flavour.hpp"
#ifdef BOOST
#include <boost/asio/experimental/channel.hpp>
#else
#include <asio/experimental/channel.hpp>
#endif

using asio::awaitable;
using asio::detached;
using asio::use_awaitable;
using namespace std::chrono_literals;
using channel = asio::experimental::channel<void(asio_error, int)>;

static inline awaitable<void> sleep_for(std::chrono::milliseconds d)
{
	asio::steady_timer t(co_await asio::this_coro::executor, d);

	co_await t.async_wait(use_awaitable);
}

struct way { const char *name; void (*run)(asio::io_context &); };

template <std::size_t N> int go(const way (&ways)[N], int argc, char **argv)
{
	auto &io = *new asio::io_context;
	void (*run)(asio::io_context &) = nullptr;

	for (auto &each : ways)
		if (argc >= 2 && !std::strcmp(argv[1], each.name))
			run = each.run;
	if (!run)
		return 2;
	if (argc == 3)
		asio::co_spawn(io, []() -> awaitable<void> {
			asio::ip::tcp::acceptor a(co_await asio::this_coro::executor, { asio::ip::tcp::v4(), 0 });

			for (;;)
				co_await a.async_accept(use_awaitable);
		}, detached);
	// In small steps, so that it is later where the machine has no time for the rest either.
	std::thread end([] {
		for (int i = 0; i < 100; i++)
			std::this_thread::sleep_for(6ms);
		std::quick_exit(0);
	});
	run(io);
	end.join();
	return 0;
}
#endif
