// callbacks.cc - what callbacks that are no coroutines do to those behind them; it ends after 600 ms:
//
//	callbacks timer|posted|erased|bound|front|pool|beside	one blocks its thread for seconds, as a query of a database does
//	callbacks loop|nested|short			none does, and a coroutine goes where nobody runs it
#include <functional>
#include "ways.hpp"

namespace callbacks {
static awaitable<void> hops()
{
	for (;;)
		co_await asio::post(co_await asio::this_coro::executor, use_awaitable);
}
static void blocks() { std::this_thread::sleep_for(5s); }

struct query {
	void ends(asio_error) { blocks(); }
};

enum class way_in { timer, posted, erased, bound, front };
template <way_in way> static void starts(asio::io_context &io)
{
	static asio::any_io_executor there = io.get_executor();
	static asio::steady_timer late(io, 50ms);
	static query q;

	late.async_wait([&io](asio_error) {
		if (way == way_in::timer)
			blocks();
		else if (way == way_in::posted)
			asio::post(io, [] { blocks(); });
		else if (way == way_in::erased)
			asio::post(there, [] { blocks(); });
		late.expires_after(1ms);
		if (way == way_in::bound)
			late.async_wait(std::bind(&query::ends, &q, std::placeholders::_1));
		else if (way == way_in::front)
			late.async_wait(std::bind_front(&query::ends, &q));
	});
}
template <way_in way, bool others> static void blocked(asio::io_context &io)
{
	static asio::io_context elsewhere;

	if (others) {
		asio::co_spawn(elsewhere, hops(), detached);
		std::thread([] { elsewhere.run(); }).detach();
	}
	asio::co_spawn(io, hops(), detached);
	asio::co_spawn(io, hops(), detached);
	starts<way>(io);
	io.run();
}
static void pool(asio::io_context &)
{
	static asio::thread_pool p(2);

	asio::co_spawn(p, hops(), detached);
	std::this_thread::sleep_for(50ms);
	asio::post(p, [] { blocks(); });
	asio::post(p, [] { blocks(); });
	p.join();
}

// Who goes there is never run.
static awaitable<void> leaves(asio::io_context &other)
{
	co_await sleep_for(50ms);
	co_await asio::post(other, asio::bind_executor(other, use_awaitable));	// @leaves
}
static awaitable<void> sleeps()
{
	for (;;)
		co_await sleep_for(5ms);
}
static void run_in_part(asio::io_context &io)
{
	for (;;)
		io.run_for(3ms);
}
// The loop itself runs within a callback, for ever.
template <bool in_part> static void loop(asio::io_context &io)
{
	static asio::io_context nobodys;
	static asio::thread_pool p(1);

	asio::co_spawn(io, leaves(nobodys), detached);
	asio::co_spawn(io, sleeps(), detached);
	asio::post(p, [&io] { in_part ? run_in_part(io) : void(io.run()); });
	p.join();
}
static void hop(asio::io_context &io)
{
	asio::post(io, [&io] { hop(io); });
}
static void many_short(asio::io_context &io)
{
	static asio::io_context nobodys;

	asio::co_spawn(io, leaves(nobodys), detached);
	asio::co_spawn(io, sleeps(), detached);
	hop(io);
	io.run();
}

static int main(int argc, char **argv)
{
	static const way ways[] = { { "timer", blocked<way_in::timer, false> }, { "posted", blocked<way_in::posted, false> },
		{ "erased", blocked<way_in::erased, false> }, { "bound", blocked<way_in::bound, false> }, { "front", blocked<way_in::front, false> }, { "pool", pool },
		{ "beside", blocked<way_in::timer, true> }, { "loop", loop<false> }, { "nested", loop<true> }, { "short", many_short } };

	return go(ways, argc, argv);
}
}
