// stk-await.cc - C++ coroutines with known call stacks: read_line waits for a line within serve, and net::server::notify
// wakes it; then it waits for another.
#include <coroutine>
#include <deque>
#include "corotrace.hpp"

static std::deque<std::coroutine_handle<>> ready;

struct task {
	struct promise_type : ct::promise_mixin {
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;

	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<>) { return handle; }
	void await_resume() {}
};

struct line {
	uint64_t waiter = 0;
	std::coroutine_handle<> handle;

	bool await_ready() { return false; }
	template <class P> void await_suspend(std::coroutine_handle<P> h)
	{
		waiter = ct::id(h);
		handle = h;
	}
	void await_resume() {}
	ct_on waits_on() const { return ct_sem(this); }
	void come()
	{
		ct::wake(waiter, ct_sem(this));
		ready.push_back(handle);
	}
};

static line first, second;

static task read_line()
{
	co_await first;
	co_await second;
}

static task serve()
{
	co_await read_line();
}

namespace net {
struct server {
	__attribute__((noinline)) void notify(line &l)
	{
		l.come();
		asm volatile("" ::: "memory");	// no tail call
	}
};
}

__attribute__((noinline)) static void run_ready()
{
	while (!ready.empty()) {
		auto h = ready.front();
		ready.pop_front();
		h.resume();
	}
}

int main()
{
	net::server server;
	task t = serve();

	ct::name(t.handle, "conn");
	ready.push_back(t.handle);
	run_ready();
	server.notify(first);
	run_ready();
	server.notify(second);
	return 0;
}
