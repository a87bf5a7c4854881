// uprobe-cc: C++20 coroutines on two threads that never heard of a probe, for ct-uprobe's tests. Workers await children, and
// all go round through a run queue. Lines on standard input: "forget": two of them are dropped where they wait, and their
// addresses and lines printed; "count": so many steps were made; "block": a coroutine runs until the next line comes, and
// suspends for ever; "nest": one runs what a thread runs, to the end; "stop": all others end, and "ended" is printed. argv: workers; "throw": generators, too, whose promises
// let exceptions out; "fast": no pause between steps.
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <unistd.h>

static std::mutex lock;
static std::condition_variable some;
static std::deque<std::coroutine_handle<>> queue;
static std::atomic<bool> stopping;
static std::atomic<int> to_forget;
static std::atomic<long> steps;
static bool fast;

void schedule(std::coroutine_handle<> h)
{
	std::lock_guard<std::mutex> g(lock);
	queue.push_back(h);
	some.notify_one();
}

struct next_turn {
	int line;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		int n = line ? to_forget.load() : 0;
		while (n > 0 && !to_forget.compare_exchange_weak(n, n - 1))
			;
		if (n > 0) {
			printf("%p %d\n", h.address(), line);
			fflush(stdout);
			return;		// nobody has it any more
		}
		schedule(h);
	}
	void await_resume() {}
};

struct task {
	struct promise_type {
		std::coroutine_handle<> continuation = std::noop_coroutine();
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		struct last {
			bool await_ready() noexcept { return false; }
			std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept
			{
				return h.promise().continuation;
			}
			void await_resume() noexcept {}
		};
		last final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
	std::coroutine_handle<promise_type> handle;
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> c)
	{
		handle.promise().continuation = c;
		return handle;
	}
	void await_resume() { handle.destroy(); }
};

// Starts at once, and frees itself.
struct detached {
	struct promise_type {
		detached get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};

struct generator {
	struct promise_type {
		generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	std::coroutine_handle<promise_type> handle;
};

static generator thrower(int n)
{
	co_await std::suspend_always{};
	if (n % 2)
		throw std::runtime_error("out of a resume");
}

static void throw_some()
{
	for (int i = 0; i < 20; i++) {
		generator g = thrower(i);
		g.handle.resume();
		try {
			g.handle.resume();
		} catch (const std::runtime_error &) {
		}
		g.handle.destroy();
	}
}

static task child(int rounds)
{
	for (int i = 0; i < rounds && !stopping; i++)
		co_await next_turn{0};
	co_await next_turn{__LINE__};
}

static detached worker(bool throws)
{
	while (!stopping) {
		co_await child(3);
		if (throws)
			throw_some();
		co_await next_turn{0};
	}
}

// Begins on the main thread, and runs until a line comes.
static detached blocked()
{
	char line[32];

	printf("running\n");
	fflush(stdout);
	if (fgets(line, sizeof line, stdin))
		line[0] = '\0';
	co_await std::suspend_always{};
}

static void run()
{
	for (;;) {
		std::unique_lock<std::mutex> g(lock);
		some.wait(g, [] { return !queue.empty() || stopping; });
		if (queue.empty())
			return;
		auto h = queue.front();
		queue.pop_front();
		g.unlock();
		h.resume();
		steps++;
		// Some thousand steps a second are enough for most.
		if (!stopping && !fast)
			usleep(200);
	}
}

static detached nested()
{
	co_await next_turn{0};
	run();
}

int main(int argc, char **argv)
{
	int workers = argc > 1 ? atoi(argv[1]) : 20;
	bool throws = argc > 2 && !strcmp(argv[2], "throw");
	fast = argc > 2 && !strcmp(argv[2], "fast");

	for (int i = 0; i < workers; i++)
		worker(throws);
	std::thread a(run), b(run);
	printf("ready\n");
	fflush(stdout);
	char line[32];
	while (fgets(line, sizeof line, stdin) && strcmp(line, "stop\n")) {
		to_forget += !strcmp(line, "forget\n") ? 2 : 0;
		if (!strcmp(line, "block\n")) {
			blocked();
			printf("left\n");
		}
		if (!strcmp(line, "nest\n"))
			nested();
		if (!strcmp(line, "count\n"))
			printf("steps %ld\n", steps.load());
		fflush(stdout);
	}
	stopping = true;
	{ std::lock_guard<std::mutex> g(lock); some.notify_all(); }
	a.join();
	b.join();
	printf("ended\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		;
	return 0;
}
