// channels.cc - asio's channels, plain and concurrent, with and without a buffer: two that try to send, two that wait for
// room, and one that receives until the channel is closed.
//
//	channels		each of the four kinds; prints what was received
//	channels elsewhere	one who receives is to go on in an io_context that nobody runs
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include "flavour.hpp"
#ifdef BOOST
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#else
#include <asio/experimental/channel.hpp>
#include <asio/experimental/concurrent_channel.hpp>
#endif

using asio::awaitable;
using asio::detached;
using asio::use_awaitable;
using namespace std::chrono_literals;

namespace channels {
using plain = asio::experimental::channel<void(asio_error, int)>;
using concurrent = asio::experimental::concurrent_channel<void(asio_error, int)>;

template <class C> awaitable<void> receives(C &c, int &sum)
{
	try {
		for (;;)
			sum += co_await c.async_receive(use_awaitable);
	} catch (const std::exception &) {
	}
}
template <class C> awaitable<void> tries(C &c)
{
	asio::steady_timer t(co_await asio::this_coro::executor);

	for (int i = 0; i < 100; i++) {
		while (!c.try_send(asio_error(), 1)) {
			t.expires_after(1ms);
			co_await t.async_wait(use_awaitable);
		}
		if (i % 3 == 0)
			co_await asio::post(use_awaitable);
	}
}
template <class C> awaitable<void> sends(C &c)
{
	for (int i = 0; i < 100; i++)
		co_await c.async_send(asio_error(), 1, use_awaitable);
}
template <class C> static void all(size_t room, int threads)
{
	asio::io_context io;
	C c(io, room);
	int sum = 0;
	std::atomic<int> left = 4;
	std::vector<std::thread> more;
	auto end = [&](std::exception_ptr) {
		if (!--left)
			c.close();
	};

	asio::co_spawn(io, receives(c, sum), detached);
	for (int i = 0; i < 2; i++) {
		asio::co_spawn(io, tries(c), end);
		asio::co_spawn(io, sends(c), end);
	}
	for (int i = 1; i < threads; i++)
		more.emplace_back([&] { io.run(); });
	io.run();
	for (auto &t : more)
		t.join();
	std::printf("%d\n", sum);
}

static awaitable<void> receives_there(plain &c, asio::io_context &other)
{
	co_await c.async_receive(asio::bind_executor(other, use_awaitable));	// @elsewhere
}
static awaitable<void> sends_once(plain &c)
{
	asio::steady_timer t(co_await asio::this_coro::executor, 50ms);

	co_await t.async_wait(use_awaitable);
	c.try_send(asio_error(), 1);
	for (int i = 0; i < 50; i++)
		co_await asio::post(use_awaitable);
}
static void elsewhere()
{
	auto &io = *new asio::io_context, &other = *new asio::io_context;
	auto &c = *new plain(io);

	asio::co_spawn(io, receives_there(c, other), detached);
	asio::co_spawn(io, sends_once(c), detached);
	std::thread late([] { std::this_thread::sleep_for(900ms); std::quick_exit(0); });
	io.run();
	late.join();
}

static int main(int argc, char **argv)
{
	if (argc > 1 && !std::strcmp(argv[1], "elsewhere"))
		return elsewhere(), 0;
	for (size_t room : { 0, 2 }) {
		all<plain>(room, 1);
		all<concurrent>(room, 4);
	}
	return 0;
}
}
