// snap-stacked: three coroutines that wait for ever, whose frames an optimiser may put on main's stack, which never returns.
// For ct-snap's tests.
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

struct task {
	struct promise_type {
		task get_return_object() { return task(std::coroutine_handle<promise_type>::from_promise(*this)); }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
	std::coroutine_handle<promise_type> handle;
	explicit task(std::coroutine_handle<promise_type> h) : handle(h) {}
	task(task &&other) : handle(other.handle) { other.handle = nullptr; }
	~task()
	{
		if (handle)
			handle.destroy();
	}
};
static std::coroutine_handle<> waiting[3];

struct forever {
	int at;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { waiting[at] = h; }
	void await_resume() {}
};
static task one() { co_await forever{0}; puts("one"); }
static task two() { co_await forever{1}; puts("two"); }
static task three() { co_await forever{2}; puts("three"); }

int main()
{
	task a = one(), b = two(), c = three();

	a.handle.resume();
	b.handle.resume();
	c.handle.resume();
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
