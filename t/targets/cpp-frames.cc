// cpp-frames.cc - coroutines that are found by their frames: where there is no memory for anything else, and by a signal handler that comes
// as they are born and die.
#include <csignal>
#include <cstdlib>
#include <new>
#include <thread>
#include <unistd.h>
#include "corotrace.hpp"

static bool poor;
void *operator new(std::size_t n)
{
	void *p = poor ? nullptr : std::malloc(n);

	if (!p)
		throw std::bad_alloc();
	return p;
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }

struct task {
	struct promise_type : ct::promise_mixin {
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		void return_void() {}
		void unhandled_exception() { std::abort(); }
		void *operator new(std::size_t n) { return std::malloc(n); }
		void operator delete(void *p) { std::free(p); }
	};
	std::coroutine_handle<promise_type> h;
};

static task one() { co_await std::suspend_always{}; }

static std::coroutine_handle<> it;
static std::atomic<int> times;

int main()
{
	task all[100];

	ct_init();
	poor = true;
	for (task &t : all) {
		t = one();
		t.h.resume();
	}
	for (task &t : all)
		t.h.destroy();

	alarm(20);
	poor = false;
	signal(SIGUSR1, [](int) { ct::wake(it); times = times + 1; });
	std::thread sends([me = pthread_self()] {
		for (int seen = -1; seen < 1000; ) {
			if (times != seen) {
				seen = times;
				pthread_kill(me, SIGUSR1);
			}
		}
	});
	while (times < 1000) {		// it is found where this one is, in the same frame again and again
		task t = one();
		it = t.h;
		t.h.destroy();
	}
	sends.join();
	return 0;
}
