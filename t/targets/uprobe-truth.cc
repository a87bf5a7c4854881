// uprobe-truth: C++20 coroutines that never heard of a probe, and go ways that a tracer may misread, for ct-uprobe's tests.
// argv[1]: "elsewhere": each is resumed on another thread before the resume that suspended it has returned; "chain": symmetric
// transfer, 200 deep; "longjmp": one is left for ever by longjmp, others run on that thread; "later": on threads that come one
// after the other; "reuse": 300, one after the other at one address; "fork": in a child, too; "exec": another program is
// executed. "ran N" is printed: how often a coroutine was given the processor, and what else is to be known.
#include <atomic>
#include <coroutine>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <sys/wait.h>
#include <unistd.h>

static std::atomic<long> ran;

// Nobody knows which coroutine that is: no resume becomes part of its caller's code.
static std::coroutine_handle<> hidden(std::coroutine_handle<> h)
{
	void *p = h.address();
	__asm__ volatile("" : "+r"(p));
	return std::coroutine_handle<>::from_address(p);
}

struct task {
	struct promise_type {
		std::coroutine_handle<> next = std::noop_coroutine();
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		struct last {
			bool await_ready() noexcept { return false; }
			std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().next; }
			void await_resume() noexcept {}
		};
		last final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
	std::coroutine_handle<promise_type> handle;
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> h)
	{
		handle.promise().next = h;
		return hidden(handle);
	}
	void await_resume() { hidden(handle).destroy(); }
};

// The other thread resumes it, and only when it runs there this one goes on.
static std::atomic<void *> baton;
static std::atomic<long> arrived;
struct elsewhere {
	long turn;
	bool await_ready() { return false; }
	// What is part of the frame another thread changes meanwhile.
	__attribute__((noinline)) void await_suspend(std::coroutine_handle<> h)
	{
		long mine = turn;
		baton = h.address();
		while (arrived < mine)
			;
	}
	void await_resume() { arrived++; }
};

static task passed_on(int turns)
{
	ran++;
	for (int i = 1; i <= turns; i++) {
		co_await elsewhere{i};
		ran++;
	}
}

static void take_turns(int turns)
{
	for (int i = 0; i < turns; i++) {
		void *h;
		while (!(h = baton.exchange(nullptr)))
			if (arrived >= 50)
				return;
		std::coroutine_handle<>::from_address(h).resume();
	}
}

static task link(int deep)
{
	ran++;
	if (deep > 1) {
		co_await link(deep - 1);
		ran++;
	}
}

static task steps(int n)
{
	ran++;
	for (int i = 0; i < n; i++) {
		co_await std::suspend_always{};
		ran++;
	}
}

static void run(task t)
{
	auto h = hidden(t.handle);
	while (!h.done())
		h.resume();
	h.destroy();
}

static jmp_buf out;
static task leaves()
{
	ran++;
	co_await std::suspend_always{};
	ran++;
	longjmp(out, 1);
}

static void leave()
{
	static std::coroutine_handle<> h;

	h = hidden(leaves().handle);
	printf("left %p\n", h.address());
	h.resume();
	if (!setjmp(out))
		h.resume();
}

int main(int argc, char **argv)
{
	std::string how = argc > 1 ? argv[1] : "";

	if (how == "elsewhere") {
		task t = passed_on(50);
		std::thread a(take_turns, 50);
		std::thread b(take_turns, 50);
		hidden(t.handle).resume();
		a.join();
		b.join();
	} else if (how == "chain") {
		run(link(200));
	} else if (how == "longjmp") {
		leave();
		run(steps(10));
	} else if (how == "later") {
		for (int i = 0; i < 20; i++)
			std::thread([] { run(steps(10)); }).join();
	} else if (how == "reuse") {
		for (int i = 0; i < 300; i++)
			run(steps(2));
	} else if (how == "fork") {
		run(steps(10));
		pid_t child = fork();
		int status = 0;
		if (!child) {
			run(steps(100));
			_exit(33);
		}
		waitpid(child, &status, 0);
		printf("child %d\n", WEXITSTATUS(status));
		run(steps(10));
	} else if (how == "exec") {
		run(steps(10));
		printf("ran %ld\n", ran.load());
		fflush(stdout);
		execl(argv[0], argv[0], "later", static_cast<char *>(nullptr));
	}
	printf("ran %ld\n", ran.load());
	return 0;
}
