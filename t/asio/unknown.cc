// unknown.cc - waits of which asio reports nothing: a handler that the program keeps itself, several operations at once, the
// end of a coroutine that was spawned. Handlers are called by any of four threads, also before their initiation is over.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>
#include "flavour.hpp"
#ifdef BOOST
#include <boost/asio/experimental/awaitable_operators.hpp>
using namespace boost::asio::experimental::awaitable_operators;
#else
#include <asio/experimental/awaitable_operators.hpp>
using namespace asio::experimental::awaitable_operators;
#endif

using asio::awaitable;
using asio::detached;
using asio::use_awaitable;

namespace unknown {
// Whoever comes is called by the next who comes, or when all is over.
struct meeting {
	std::mutex lock;
	std::optional<asio::any_io_executor> where;
	void *waiting = nullptr;
	void (*call)(void *) = nullptr;

	template <class Token> auto async_meet(asio::any_io_executor ex, Token token)
	{
		return asio::async_initiate<Token, void()>([this, ex](auto handler) {
			using kept = std::decay_t<decltype(handler)>;
			auto *mine = new kept(std::move(handler));
			auto run = [](void *p) {
				auto *h = static_cast<kept *>(p);
				kept moved = std::move(*h);

				delete h;
				std::move(moved)();
			};
			void *other;
			void (*other_run)(void *);
			{
				std::lock_guard<std::mutex> locked(lock);

				other = std::exchange(waiting, mine);
				other_run = std::exchange(call, run);
			}
			if (other)
				asio::post(ex, [=] { other_run(other); });
		}, token);
	}
	void over()
	{
		void *other, (*run)(void *);
		{
			std::lock_guard<std::mutex> locked(lock);

			run = call;
			other = std::exchange(waiting, nullptr);
		}
		if (other)
			run(other);
	}
};

static meeting all;
static std::atomic<int> going = 0;

static awaitable<int> one(int n)
{
	co_await all.async_meet(co_await asio::this_coro::executor, use_awaitable);	// @kept
	co_return n;
}
static awaitable<void> sleep_for(int ms)
{
	asio::steady_timer t(co_await asio::this_coro::executor, std::chrono::milliseconds(ms));

	co_await t.async_wait(use_awaitable);						// @sleep
}
static awaitable<void> many(int rounds)
{
	auto ex = co_await asio::this_coro::executor;

	for (int i = 0; i < rounds; i++) {
		if (co_await one(i) != i)						// @child
			std::abort();
		if (i % 16 == 0)
			co_await (sleep_for(0) && sleep_for(1));			// @and
		if (i % 16 == 1)
			co_await (sleep_for(1000000) || sleep_for(1));			// @or
		if (i % 16 == 2)
			co_await asio::co_spawn(ex, sleep_for(0), use_awaitable);	// @join
	}
	--going;
}
static awaitable<void> last()
{
	while (going > 0) {
		co_await sleep_for(1);
		all.over();
	}
}

static int main(int, char **)
{
	asio::io_context io;
	std::vector<std::thread> threads;

	going = 9;
	for (int i = 0; i < 9; i++)
		asio::co_spawn(io, many(200), detached);
	asio::co_spawn(io, last(), detached);
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] { io.run(); });
	for (auto &t : threads)
		t.join();
	std::puts("all met");
	return 0;
}
}
