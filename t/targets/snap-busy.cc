// snap-busy: coroutines that are made, resumed and destroyed all the time by two threads, which exchange numbers over a
// socket; for ct-snap's tests. On SIGTERM it prints how many numbers came, and how many of them wrong. With "exec" it runs
// itself again after a while, over and over; with "leave" it ends after a while.
#include <coroutine>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include <sys/socket.h>
#include <unistd.h>

static std::atomic<bool> over, never;
static std::atomic<long> came, wrong;

struct task {
	struct promise_type {
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
	std::coroutine_handle<promise_type> handle;
};

static task sends(int fd, uint64_t &next)
{
	for (;; next++) {
		while (write(fd, &next, sizeof(next)) != sizeof(next))
			if (errno != EINTR)
				co_return;
		co_await std::suspend_always();
	}
}

static task receives(int fd)
{
	for (uint64_t expected = 0, got;; expected++) {
		ssize_t n;
		while ((n = recv(fd, &got, sizeof(got), MSG_WAITALL)) < 0 && errno == EINTR)
			;
		if (n != sizeof(got))
			co_return;
		came++;
		wrong += got != expected;
		co_await std::suspend_always();
	}
}

// The one that receives goes on until all has come that was sent.
static void run(task t, const std::atomic<bool> &end)
{
	while (!end && !t.handle.done())
		t.handle.resume();
	t.handle.destroy();
}

int main(int argc, char **argv)
{
	int fd[2];
	uint64_t next = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		return 1;
	signal(SIGTERM, [](int) { over = true; });
	std::thread a([&] { run(sends(fd[0], next), over); shutdown(fd[0], SHUT_WR); });
	std::thread b([&] { run(receives(fd[1]), never); });
	printf("ready\n");
	fflush(stdout);
	if (argc > 1) {
		usleep(strcmp(argv[1], "exec") ? 200000 : 20000);
		if (strcmp(argv[1], "exec"))
			_exit(0);
		execv("/proc/self/exe", argv);
	}
	while (!over)
		usleep(10000);
	a.join();
	b.join();
	printf("%ld came, %ld wrong\n", came.load(), wrong.load());
	return wrong != 0;
}
