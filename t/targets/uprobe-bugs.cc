// uprobe-bugs: C++20 coroutines with a scheduler of their own that never heard of a probe, and a bug, for ct-uprobe's tests.
// argv: what, how. What: "dropped": a wake is not queued; "asleep": it is queued, and no worker told; "closed": a descriptor is closed under
// its waiter; "none": nothing of that, but descriptors closed and opened again under the same number, and late wakes. It
// happens at a line on standard input; "happened" is printed with the victim's frame. A second line ends the program in order.
// How it is closed: "close_range", "io_uring", "dup2", else by close(); "handle": epoll gets the coroutine's handle as its data;
// "kept": what the coroutine keeps, with a flag in its uppermost bit; "unwatched": that, and epoll is to watch
// it no more before it is closed.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <linux/io_uring.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static std::mutex lock;
static std::condition_variable some;
static std::deque<std::coroutine_handle<>> ready;
static std::map<int, std::coroutine_handle<>> watchers;
static std::atomic<bool> stopping, quiet;
static std::coroutine_handle<> resting, victim;
static std::atomic<int> at_rest;
static int poller, watched[2];
static const char *bug, *how;

namespace app {
__attribute__((noinline)) void schedule(int why, std::coroutine_handle<> h)
{
	std::lock_guard<std::mutex> g(lock);
	bool hit = why && h == victim;
	if (!hit || strcmp(bug, "dropped"))
		ready.push_back(h);
	if (!hit || strcmp(bug, "asleep"))
		some.notify_all();
}
}

struct detached {
	struct promise_type {
		detached get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};

struct turn {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { app::schedule(0, h); }
	void await_resume() {}
};

// Until somebody schedules it.
struct rest {
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		resting = h;
		at_rest++;
	}
	void await_resume() {}
};

static bool keeps()
{
	return !strcmp(how, "kept") || !strcmp(how, "unwatched");
}

struct readable {
	int fd;
	std::coroutine_handle<> waiting = {};
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		std::lock_guard<std::mutex> g(lock);
		watchers[fd] = h;
		epoll_event e = { EPOLLIN | EPOLLONESHOT, { .fd = fd } };
		if (!strcmp(how, "handle"))
			e.data.ptr = h.address();
		else if (keeps()) {
			waiting = h;
			e.data.u64 = reinterpret_cast<uintptr_t>(this) | 1ull << 63;
		}
		if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &e))
			epoll_ctl(poller, EPOLL_CTL_MOD, fd, &e);
	}
	void await_resume() {}
};

static detached busy()
{
	while (!stopping) {
		co_await turn{};
		while (quiet && !stopping)
			co_await rest{};
	}
}

static detached waits()
{
	while (!stopping)
		co_await rest{};
}

static detached reads(int fd)
{
	uint64_t n;

	while (!stopping) {
		co_await readable{fd};
		if (read(fd, &n, sizeof n) < 0)
			break;
	}
}

static void run()
{
	for (;;) {
		std::unique_lock<std::mutex> g(lock);
		some.wait(g, [] { return !ready.empty() || stopping; });
		if (stopping)
			return;
		auto h = ready.front();
		ready.pop_front();
		g.unlock();
		h.resume();
		usleep(200);
	}
}

static void poll()
{
	epoll_event e;

	while (!stopping)
		if (epoll_wait(poller, &e, 1, 50) == 1) {
			lock.lock();
			auto h = !strcmp(how, "handle") ? std::coroutine_handle<>::from_address(e.data.ptr) :
				keeps() ? reinterpret_cast<readable *>(e.data.u64 << 1 >> 1)->waiting : watchers[e.data.fd];
			lock.unlock();
			app::schedule(1, h);
		}
}

static void write_to(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof one) < 0)
		perror("write");
	std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

// One request, without liburing.
static void close_by_ring(int fd)
{
	io_uring_params p = {};
	int ring = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (ring < 0)
		_exit(77);
	size_t size = p.sq_off.array + p.sq_entries * sizeof(unsigned);
	char *sq = (char *)mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	auto *request = (io_uring_sqe *)mmap(nullptr, p.sq_entries * sizeof(io_uring_sqe), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	memset(request, 0, sizeof *request);
	request->opcode = IORING_OP_CLOSE;
	request->fd = fd;
	((unsigned *)(sq + p.sq_off.array))[0] = 0;
	__atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) != 1)
		perror("io_uring_enter");
}

static void close_it(int fd)
{
	if (!strcmp(how, "close_range"))
		syscall(SYS_close_range, fd, fd, 0);
	else if (!strcmp(how, "io_uring"))
		close_by_ring(fd);
	else if (!strcmp(how, "dup2"))
		dup2(0, fd);
	else
		close(fd);
}

static void happen()
{
	quiet = true;
	while (at_rest < 2)
		usleep(1000);
	std::this_thread::sleep_for(std::chrono::milliseconds(500));
	victim = resting;
	if (!strcmp(bug, "closed")) {
		if (!strcmp(how, "handle") || keeps())
			write_to(watched[0]);	// it comes to wait while it is traced
		if (!strcmp(how, "unwatched"))
			epoll_ctl(poller, EPOLL_CTL_DEL, watched[0], nullptr);
		victim = watchers[watched[0]];
		close_it(watched[0]);
	} else if (strcmp(bug, "none")) {
		app::schedule(1, victim);
	} else {
		// Closed when nobody waits for it, and its number used again, for one that waits.
		int fd = eventfd(0, 0), again;
		close(fd);
		if (keeps()) {	// in order: epoll watches it no more, and who waits is resumed
			write_to(watched[0]);
			epoll_ctl(poller, EPOLL_CTL_DEL, watched[0], nullptr);
			close(watched[0]);
			app::schedule(1, watchers[watched[0]]);
		}
		again = eventfd(0, 0);
		reads(again);
		write_to(again);
		write_to(watched[1]);
		app::schedule(1, victim);
		if (dup2(watched[1], fd + 20) < 0)
			perror("dup2");
	}
	printf("happened %p\n", victim.address());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[32];

	bug = argc > 1 ? argv[1] : "none";
	how = argc > 2 ? argv[2] : "";
	poller = epoll_create1(0);
	std::thread a(run), b(run), c(poll);
	for (int &fd : watched)
		reads(fd = eventfd(0, 0));
	waits();
	busy();
	printf("ready\n");
	fflush(stdout);
	if (fgets(line, sizeof line, stdin))
		happen();
	if (fgets(line, sizeof line, stdin))
		stopping = true;
	{ std::lock_guard<std::mutex> g(lock); some.notify_all(); }
	a.join();
	b.join();
	c.join();
	return 0;
}
