// snap-within: coroutines whose frames an optimiser may put into that of who awaits them, and one whose handle is in its awaiter's
// frame alone, for ct-snap's tests. Prints a line for each coroutine that lives: its address and the address of whom it awaits (-:
// none).
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <unistd.h>

struct task {
	struct promise_type {
		std::coroutine_handle<> continuation;
		task get_return_object() { return task(std::coroutine_handle<promise_type>::from_promise(*this)); }
		std::suspend_always initial_suspend() noexcept { return {}; }
		struct last {
			bool await_ready() noexcept { return false; }
			std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept
			{
				auto c = h.promise().continuation;
				return c ? c : std::noop_coroutine();
			}
			void await_resume() noexcept {}
		};
		last final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
	std::coroutine_handle<promise_type> handle;
	explicit task(std::coroutine_handle<promise_type> h) : handle(h) {}
	task(task &&other) : handle(std::exchange(other.handle, {})) {}
	~task()
	{
		if (handle)
			handle.destroy();
	}
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> c)
	{
		handle.promise().continuation = c;
		return handle;
	}
	void await_resume() {}
};

// Where this coroutine is.
struct self {
	void *address;
	bool await_ready() { return false; }
	bool await_suspend(std::coroutine_handle<> h)
	{
		address = h.address();
		return false;
	}
	void *await_resume() { return address; }
};

struct waiting {
	std::coroutine_handle<> who;
};
static std::vector<waiting *> queue;		// awaiters, not coroutines
struct parked : waiting {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		who = h;
		queue.push_back(this);
	}
	void await_resume() {}
};

static void *leaf_at[64], *middle_at[64], *top_at[64];
static task leaf(int n)
{
	leaf_at[n] = co_await self{};
	co_await parked{};
	printf("%d\n", n);
}
static task empty() { co_return; }
static task middle(int n)
{
	middle_at[n] = co_await self{};
	co_await empty();
	co_await leaf(n);
	printf("%d\n", n);
}
static task top(int n)
{
	top_at[n] = co_await self{};
	co_await middle(n);
	printf("%d\n", n);
}

// The wrapper's handle is known to its awaiter's frame alone.
static void *wrapper_at, *asks_at;
static task wraps(std::coroutine_handle<> &mine)
{
	auto &to = mine;
	wrapper_at = co_await self{};
	to = std::coroutine_handle<>::from_address(wrapper_at);
	wrapper_at = nullptr;
	co_await std::suspend_always();
	puts("wrapped");
}
struct by_wrapper : waiting {
	task wrapper;
	by_wrapper() : wrapper(wraps(who)) {}
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		wrapper.handle.promise().continuation = h;
		wrapper.handle.resume();
		queue.push_back(this);
	}
	void await_resume() {}
};
static task asks()
{
	asks_at = co_await self{};
	co_await by_wrapper();
	puts("asked");
}

int main()
{
	std::vector<task> all;

	for (int i = 0; i < 20; i++) {
		all.push_back(top(i));
		all.back().handle.resume();
	}
	all.push_back(asks());
	all.back().handle.resume();
	for (int i = 0; i < 20; i++)
		printf("%p %p\n%p %p\n%p -\n", top_at[i], middle_at[i], middle_at[i], leaf_at[i], leaf_at[i]);
	void *wrapper = queue.back()->who.address();
	printf("%p %p\n%p -\n", asks_at, wrapper, wrapper);
	wrapper = nullptr;
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
