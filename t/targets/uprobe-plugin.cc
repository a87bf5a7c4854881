// uprobe-plugin: a program that loads a library with coroutines while it runs, and that library (-DPLUGIN; -DREBUILT:
// of other code), for ct-uprobe's tests. argv: libraries. Lines on standard input: "load": the next one is loaded, and begins a coroutine, whose address and
// line are printed, or tasks of its own; "late": it loses one; "go": each is resumed 50 times; "unload": the last one is unloaded; "fork": a child resumes the
// first until it is killed; "stop": the end.
#include <coroutine>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

struct task {
	struct promise_type {
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
	std::coroutine_handle<promise_type> handle;
};

#ifdef PLUGIN
static std::coroutine_handle<> waiting;
struct wait {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { waiting = h; }
	void await_resume() {}
};

#ifdef REBUILT
static volatile unsigned others[8];
#endif

static task of_plugin()
{
	for (;;) {
#ifdef REBUILT
		for (unsigned i = 0; i < 8; i++)
			others[i] = others[i ^ 1] * 3;
#endif
		co_await wait{};
	}
}

static task begun_within()
{
	co_await std::suspend_always{};
	of_plugin();
	printf("begun %p\n", waiting.address());
	co_await std::suspend_always{};
}

extern "C" void *begin()
{
	return begun_within().handle.address();
}
#else
static task of_host()
{
	for (;;)
		co_await std::suspend_always{};
}

int main(int argc, char **argv)
{
	std::coroutine_handle<> begun[16] = {of_host().handle};
	int count = 1, next = 1;
	void *library = nullptr;
	char line[32];

	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin) && strcmp(line, "stop\n")) {
		if (!strcmp(line, "load\n") && next < argc) {
			library = dlopen(argv[next++], RTLD_NOW);
			auto begin = library ? reinterpret_cast<void *(*)()>(dlsym(library, "begin")) : nullptr;
			if (!begin)
				return 1;
			void *frame = begin();
			if (frame)
				begun[count++] = std::coroutine_handle<>::from_address(frame);
			printf("begun %p\n", frame);
		} else if (!strcmp(line, "late\n") && library) {
			reinterpret_cast<void (*)()>(dlsym(library, "lose"))();
		} else if (!strcmp(line, "go\n")) {
			for (int i = 0; i < 50; i++)
				begun[0].resume();
			if (count > 1)
				begun[count - 1].resume();
			printf("gone\n");
		} else if (!strcmp(line, "unload\n")) {
			begun[--count].destroy();
			dlclose(library);
			printf("unloaded\n");
		} else if (!strcmp(line, "fork\n")) {
			pid_t child = fork();
			if (!child)
				for (;; usleep(5000))
					begun[0].resume();
			printf("forked %d\n", child);
		}
		fflush(stdout);
	}
	return 0;
}
#endif
