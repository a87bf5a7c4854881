// uprobe-cost: one coroutine is resumed and suspends, again and again; a line a round: ns for each.
#include <coroutine>
#include <cstdio>
#include <ctime>

struct loop {
	struct promise_type {
		loop get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};

static loop forever(volatile int *n)
{
	for (;;) {
		*n = *n + 1;
		co_await std::suspend_always{};
	}
}

static double now()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main()
{
	const int ROUND = 2000;
	volatile int n = 0;
	loop l = forever(&n);

	for (;;) {
		double from = now();
		for (int i = 0; i < ROUND; i++)
			l.handle.resume();
		double each = (now() - from) / ROUND;
		timespec nap = { 0, 5000000 };
		nanosleep(&nap, nullptr);
		if (printf("%.1f\n", each) < 0 || fflush(stdout))
			return 0;
	}
}
