// erased - what it costs to wake a coroutine, and to have it wait: for the bench. `erased bare|typed|suspending|handle` prints
// "NAME NANOSECONDS", CPU time a wait and its wake, of a library that keeps its handles with their type, or without.
#include <coroutine>
#include <cstdio>
#include <cstring>
#include <ctime>
#include "corotrace.hpp"

static double cpu()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

struct nobody {};

// Runs at once, and ends by itself.
template <class Base> struct task {
	struct promise_type : Base {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept
		{
			if constexpr (std::derived_from<Base, ct::promise_mixin>)
				this->ended();
			return {};
		}
		void return_void() {}
		void unhandled_exception() {}
	};
};

enum way { BARE, TYPED, SUSPENDING, HANDLE };

// One coroutine at a time waits for it.
template <way W> struct event {
	std::coroutine_handle<> waits;
	uint64_t id = 0;

	struct awaiter {
		event &e;

		ct_on waits_on() const { return ct_cond(&e); }
		bool await_ready() { return false; }
		template <class P> void await_suspend(std::coroutine_handle<P> h)
			requires(W == BARE || W == TYPED)
		{
			e.waits = h;
			if (W == TYPED)
				e.id = ct::id(h);
		}
		void await_suspend(std::coroutine_handle<> h) requires(W == SUSPENDING || W == HANDLE)
		{
			e.waits = h;
			if (W == SUSPENDING)
				e.id = ct::suspending();
		}
		void await_resume() {}
	};
	awaiter operator co_await() { return { *this }; }

	void fire()
	{
		if constexpr (W == HANDLE)
			ct::wake(waits, ct_cond(this));
		else if constexpr (W != BARE)
			ct::wake(id, ct_cond(this));
		waits.resume();
	}
};

template <way W, class Base> static task<Base> waiter(event<W> &e, unsigned n)
{
	while (n-- > 0)
		co_await e;
}

template <way W, class Base = ct::promise_mixin> static int measure(const char *name)
{
	const unsigned n = 1000000;
	event<W> e;
	double before = cpu();

	waiter<W, Base>(e, n);
	for (unsigned i = 0; i < n; i++)
		e.fire();
	printf("%s %.1f\n", name, (cpu() - before) / n);
	return 0;
}

int main(int, char **argv)
{
	const char *how = argv[1] ? argv[1] : "";

	if (strcmp(how, "bare") == 0)
		return measure<BARE, nobody>(how);
	if (strcmp(how, "typed") == 0)
		return measure<TYPED>(how);
	if (strcmp(how, "suspending") == 0)
		return measure<SUSPENDING>(how);
	if (strcmp(how, "handle") == 0)
		return measure<HANDLE>(how);
	fprintf(stderr, "usage: erased bare|typed|suspending|handle\n");
	return 2;
}
