// cpp-fork.cc - coroutines that are found by their frames are born and die in two threads, while a third forks children in which some are.
#include <atomic>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "corotrace.hpp"

struct task {
	struct promise_type : ct::promise_mixin {
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		void return_void() {}
		void unhandled_exception() { std::abort(); }
	};
	std::coroutine_handle<promise_type> h;
};

static task one() { co_await std::suspend_always{}; }

// In frames of many addresses.
static void lives()
{
	task all[100];

	for (task &t : all) {
		t = one();
		t.h.resume();
		ct::wake(std::coroutine_handle<>(t.h));
	}
	for (task &t : all)
		t.h.destroy();
}

int main()
{
	std::atomic<bool> over = false;
	int bad = 0, status;

	ct_init();
	auto run = [&] { while (!over) lives(); };
	std::thread first(run), second(run);
	for (int i = 0; i < 200 && !bad; i++) {
		pid_t child = fork();

		if (child == 0) {
			alarm(10);
			lives();
			_exit(0);
		}
		bad += waitpid(child, &status, 0) != child || status;
	}
	over = true;
	first.join();
	second.join();
	return bad;
}
