// snap-refs: coroutines that one place refers to, none of them a plain word in a heap, for ct-snap's tests:
// snap-refs none|epoll|pipe|socket|timer|packed|tagged|stack|header|frozen|messages|mqueue|ending. `none`: nothing refers to them. All
// others are healthy.
#include <atomic>
#include <coroutine>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <string>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
};

// Whose allocator knows them by what it has ahead of each.
struct header { header *next; void *pad; };
header *all;
struct headed {
	struct promise_type : task::promise_type {
		static void *operator new(size_t size)
		{
			header *h = static_cast<header *>(malloc(size + sizeof(*h)));
			h->next = all;
			all = h;
			return h + 1;
		}
		static void operator delete(void *p) { free(static_cast<header *>(p) - 1); }
		headed get_return_object() { return {}; }
	};
};

enum { COUNT = 5, MANY = 400 };
static std::string where;
static int ends[2], poll = -1;

// Not static, so that no optimiser leaves out what is never read.
struct __attribute__((packed)) message { unsigned char kind; void *handle; };
unsigned char ring[1024];
std::atomic<uint64_t> slots[COUNT];	// a counter in the upper 16 bits
static void **on_stack;
static void **page;
static mqd_t mqueue;
static int messages;
static size_t count;

struct put {
	int fd = -1;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		void *p = h.address();

		if (where == "epoll") {
			const itimerspec soon = { {}, { 0, 500000 } };
			epoll_event e = { EPOLLIN, { p } };
			fd = timerfd_create(CLOCK_MONOTONIC, 0);
			if (timerfd_settime(fd, 0, &soon, nullptr) || epoll_ctl(poll, EPOLL_CTL_ADD, fd, &e))
				abort();
		} else if (where == "pipe" || where == "socket") {
			if (write(ends[1], &p, sizeof(p)) != sizeof(p))
				abort();
		} else if (where == "timer") {
			const itimerspec late = { {}, { 100, 0 } };
			sigevent e = {};
			timer_t id;
			e.sigev_notify = SIGEV_SIGNAL;
			e.sigev_signo = SIGRTMIN;
			e.sigev_value.sival_ptr = p;
			if (timer_create(CLOCK_MONOTONIC, &e, &id) || timer_settime(id, 0, &late, nullptr))
				abort();
		} else if (where == "packed") {
			const message m = { 1, p };
			memcpy(ring + count * sizeof(m), &m, sizeof(m));
		} else if (where == "tagged") {
			slots[count] = reinterpret_cast<uint64_t>(p) | (count + 3) << 48;
		} else if (where == "stack") {
			on_stack[count] = p;
		} else if (where == "frozen") {
			page[count] = p;
		} else if (where == "mqueue") {
			if (mq_send(mqueue, reinterpret_cast<char *>(&p), sizeof(p), 0))
				abort();
		} else if (where == "messages") {
			struct { long type; void *p; } m = { 1, p };
			if (msgsnd(messages, &m, sizeof(p), 0))
				abort();
		}
		count++;
	}
	void await_resume() {}
};

// What epoll gives up is in a register until it is resumed, and in epoll again right away.
static task again()
{
	for (;;) {
		put p;
		co_await p;
		close(p.fd);
	}
}

static task once() { co_await put{}; }
static headed behind() { co_await put{}; }

static void start()
{
	char trace[8192];

	for (int i = 0; i < (where == "epoll" ? MANY : COUNT); i++)
		if (where == "header")
			behind();
		else
			where == "epoll" ? again() : once();
	memset(trace, 0, sizeof(trace));	// what is left on the stack
	__asm__ volatile("" : : "r"(trace) : "memory");
}

static void *sleeper(void *starts)
{
	void *own[COUNT];

	if (starts) {
		on_stack = own;
		start();
		printf("ready\n");
		fflush(stdout);
	}
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	where = argc > 1 ? argv[1] : "none";
	if (where == "pipe" ? pipe(ends) : where == "socket" && socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
	poll = epoll_create1(0);
	page = static_cast<void **>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	if (where == "mqueue") {
		mq_attr a = { 0, COUNT, sizeof(void *), {} };
		std::string name = "/snap-refs." + std::to_string(getpid());
		mqueue = mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, &a);
		mq_unlink(name.c_str());
	} else if (where == "messages") {
		char end;
		messages = msgget(IPC_PRIVATE, 0600);
		if (pipe(ends))
			abort();
		if (!fork()) {		// its queue outlives it, however it ends
			close(ends[1]);
			(void)!read(ends[0], &end, 1);
			msgctl(messages, IPC_RMID, nullptr);
			_exit(0);
		}
		close(ends[0]);
	} else if (where == "ending") {
		start();
		atexit([] {
			printf("ready\n");
			fflush(stdout);
			pause();
		});
		return 0;
	}
	if (where == "stack") {		// two that grow together, since none has a guard
		pthread_attr_t a;
		pthread_t t;
		pthread_attr_init(&a);
		pthread_attr_setguardsize(&a, 0);
		pthread_attr_setstacksize(&a, 1 << 18);
		pthread_create(&t, &a, sleeper, nullptr);
		pthread_create(&t, &a, sleeper, &where);
	} else {
		start();
		mprotect(page, 4096, PROT_READ);
		printf("ready\n");
		fflush(stdout);
	}
	for (epoll_event e; where == "epoll" && epoll_wait(poll, &e, 1, -1);) {
		std::coroutine_handle<>::from_address(e.data.ptr).resume();
		e.data.ptr = nullptr;
	}
	for (;;)
		pause();
}
