// rust-mixed-cc.cc - the C++ writer of t/rust.t's process tree: COROUTINES, each resumed and suspended EVENTS times.
#include <cstdlib>

#include "corotrace.hpp"

struct task {
	struct promise_type : ct::promise_mixin {
		task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always final_suspend() noexcept { ended(); return {}; }
		void return_void() {}
		void unhandled_exception() { std::abort(); }
	};
	std::coroutine_handle<promise_type> handle;
};

static task waits(int events)
{
	for (int k = 0; k < events; k++)
		co_await std::suspend_always();
}

int main(int argc, char *argv[])
{
	int coroutines = argc > 1 ? atoi(argv[1]) : 1, events = argc > 2 ? atoi(argv[2]) : 1;

	for (int i = 0; i < coroutines; i++) {
		task t = waits(events);

		while (!t.handle.done())
			t.handle.resume();
		t.handle.destroy();
	}
	return 0;
}
