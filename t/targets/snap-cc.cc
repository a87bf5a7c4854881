// snap-cc: frames of C++20 coroutines that wait for ever, and what each is, for ct-snap's tests. Prints a line for each
// frame that lives: its address, function, line, and the address of the frame it awaits or the fd it waits on (- for
// neither). argv: chains; "pool": frames come from a pool that gives back memory and overwrites nothing; "eager": they begin
// at once; "forget": one leaf in ten is known to nobody; "vfork": it waits for a child by vfork(2).
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>
#include <unistd.h>

static bool pool_on, forget_on;
static void *pool[64][4096];
static size_t pooled[64];

static void *frame_new(size_t size)
{
	size_t c = (size + 63) / 64;

	if (!pool_on)
		return ::operator new(size);
	if (c < 64 && pooled[c])
		return pool[c][--pooled[c]];
	static char *at, *end;
	if (!at || at + c * 64 > end) {
		at = static_cast<char *>(malloc(1 << 20));
		end = at + (1 << 20);
	}
	void *p = at;
	at += c * 64;
	return p;
}
static void frame_delete(void *p, size_t size)
{
	size_t c = (size + 63) / 64;

	if (!pool_on)
		return ::operator delete(p);
	if (c < 64 && pooled[c] < 4096)
		pool[c][pooled[c]++] = p;
}

template <bool Eager> struct task {
	struct promise_type {
		std::coroutine_handle<> continuation;
		static void *operator new(size_t n) { return frame_new(n); }
		static void operator delete(void *p, size_t n) { frame_delete(p, n); }
		task get_return_object() { return task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
		struct start {
			bool await_ready() noexcept { return Eager; }
			void await_suspend(std::coroutine_handle<>) noexcept {}
			void await_resume() noexcept {}
		};
		start initial_suspend() noexcept { return {}; }
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
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> c)
	{
		handle.promise().continuation = c;
		if (Eager)
			return std::noop_coroutine();
		return handle;
	}
	void await_resume() {}
};

struct waiting { std::coroutine_handle<> handle; const char *func; int line, fd; };
static std::vector<waiting> leaves, callers;

struct readable {
	int fd, line;
	const char *func;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		leaves.push_back({h, func, line, fd});
	}
	int await_resume() { return fd; }
};
#define READABLE(fd) readable{fd, __LINE__, __func__}

// Each call notes who awaits whom.
template <typename Task> struct calls {
	Task inner;
	int line;
	const char *func;
	std::coroutine_handle<> me;
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> c)
	{
		callers.push_back({c, func, line, 0});
		return inner.await_suspend(c);
	}
	void await_resume() {}
};
#define CALL(t) calls<decltype(t)>{t, __LINE__, __func__, {}}

namespace app {
template <bool E> task<E> leaf(int fd, int which)
{
	int sum = 0;
	if (which == 0)
		sum += co_await READABLE(fd);
	for (int i = 0; i < 3 && which == 1; i++)
		sum += co_await READABLE(fd + 1000);
	sum += co_await READABLE(fd + 2000);
	printf("%d\n", sum);
}
template <bool E> task<E> middle(int fd, int which)
{
	std::string text(40, 'x');
	if (fd % 2)
		co_await CALL(leaf<E>(fd, which));
	else
		co_await CALL(leaf<E>(fd, which));
	printf("%s\n", text.c_str());
}
template <bool E> task<E> serve(int fd, long id)
{
	co_await CALL(middle<E>(fd, (int)(id % 3)));
	printf("%ld\n", id);
}
}

template <bool E> static void start(int fd, long id, std::vector<std::coroutine_handle<>> &roots)
{
	auto t = app::serve<E>(fd, id);
	roots.push_back(t.handle);
	if (!E)
		t.handle.resume();
}

template <bool E> static void destroyed(size_t many)
{
	std::vector<std::coroutine_handle<>> gone;

	for (size_t i = 0; i < many; i++) {
		auto t = app::leaf<E>(5, 2);
		if (!E)
			t.handle.resume();
		gone.push_back(t.handle);
	}
	for (auto h : gone)
		h.destroy();
	leaves.clear();
	leaves.shrink_to_fit();
}

int main(int argc, char **argv)
{
	long chains = argc > 1 ? atol(argv[1]) : 3;
	bool eager = false;
	std::vector<std::coroutine_handle<>> roots;

	for (int i = 2; i < argc; i++) {
		pool_on |= !strcmp(argv[i], "pool");
		eager |= !strcmp(argv[i], "eager");
		forget_on |= !strcmp(argv[i], "forget");
	}
	eager ? destroyed<true>(600) : destroyed<false>(600);
	for (long i = 0; i < chains; i++)
		eager ? start<true>((int)(10 + i), i, roots) : start<false>((int)(10 + i), i, roots);
	// Lazy: a chain's lines come as serve, middle, leaf; eager: a chain's awaits come inside out.
	for (long i = 0; i < chains; i++) {
		const waiting &a = callers[2 * i], &b = callers[2 * i + 1], &l = leaves[i];
		const waiting &serve = strcmp(a.func, "serve") ? b : a, &middle = strcmp(a.func, "serve") ? a : b;
		printf("%p %s %d %p\n", serve.handle.address(), serve.func, serve.line, middle.handle.address());
		printf("%p %s %d %p\n", middle.handle.address(), middle.func, middle.line, l.handle.address());
		printf("%p %s %d %d\n", l.handle.address(), l.func, l.line, l.fd);
	}
	if (forget_on)
		for (auto &l : leaves)
			if (l.fd % 10 == 0)
				l.handle = {};
	printf("ready\n");
	fflush(stdout);
	if (argc > 2 && !strcmp(argv[2], "vfork") && vfork() == 0) {
		sleep(20);
		_exit(0);
	}
	for (;;)
		pause();
}
