// snap-await: what awaiters say of what they wait on, for ct-snap's tests. Prints a line for each coroutine that lives: its
// address, a word for what it is, and the address or number that it waits on (-: none).
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <sys/epoll.h>
#include <unistd.h>

struct task {
	struct promise_type {
		std::coroutine_handle<> continuation;
		task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
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
};

// The lock stores who has it, and who waits.
struct async_mutex {
	std::coroutine_handle<> owner;
	std::vector<std::coroutine_handle<>> waiters;
	struct operation {
		async_mutex &of;
		bool await_ready() { return false; }
		bool await_suspend(std::coroutine_handle<> h)
		{
			if (!of.owner) {
				of.owner = h;
				return false;
			}
			of.waiters.push_back(h);
			return true;
		}
		void await_resume() {}
	};
	operation lock() { return {*this}; }
};

struct manual_event {
	std::vector<std::coroutine_handle<>> waiters;
	struct base {
		manual_event *event;
	};
	struct awaiter : base {
		bool await_ready() { return false; }
		void await_suspend(std::coroutine_handle<> h) { event->waiters.push_back(h); }
		void await_resume() {}
	};
	awaiter operator co_await() { return {{this}}; }
};

// Its own awaiter, elsewhere.
struct single_event {
	std::coroutine_handle<> waiter;
	int number;
	bool await_ready() { return number == 1; }
	void await_suspend(std::coroutine_handle<> h) { waiter = h; }
	int await_resume() { return number; }
};

// Epoll knows the awaiter, which has no fd itself.
static int poller;
struct socket_of {
	int number;
};
struct readable {
	socket_of *of;
	std::coroutine_handle<> who;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		epoll_event e = {};
		e.events = EPOLLIN | EPOLLONESHOT;
		e.data.ptr = this;
		who = h;
		epoll_ctl(poller, EPOLL_CTL_ADD, of->number, &e);
	}
	int await_resume() { return who ? of->number : 0; }
};

// Whoever is awaited does not know by whom, or too late.
struct ends {
	std::coroutine_handle<task::promise_type> child;
	bool know;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		child.resume();
		if (know)
			child.promise().continuation = h;
	}
	void await_resume() {}
};

// Those that will run: what stands here is no longer forgotten.
static std::vector<std::coroutine_handle<>> queue;
struct queued {
	std::coroutine_handle<task::promise_type> child;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h)
	{
		child.resume();
		queue.push_back(h);
	}
	void await_resume() {}
};

static manual_event never;
std::coroutine_handle<> kept;		// a word that refers to it
static task locks(async_mutex &a, async_mutex &b, manual_event &both)
{
	co_await a.lock();
	co_await both;
	co_await b.lock();
}
static task waits(manual_event &e) { co_await e; }
static task waits_itself(single_event &e) { co_await e; }
static task reads(socket_of *s) { co_await readable{s, {}}; }
static task nothing() { co_return; }
static task awaits(task child, bool know) { co_await ends{child.handle, know}; }
static task late(task child) { co_await queued{child.handle}; }

static std::coroutine_handle<> begin(task t, const char *word, const void *on)
{
	t.handle.resume();
	printf("%p %s %p\n", t.handle.address(), word, on);
	return t.handle;
}

// The last word that has one of them is overwritten.
__attribute__((noinline)) static void forget()
{
	volatile char room[20000];

	for (auto &c : room)
		c = 0;
}

__attribute__((noinline)) static void forgotten()
{
	task gone = waits(never);
	begin(awaits(nothing(), false), "ended", nullptr);
	begin(awaits(nothing(), true), "ended", nullptr);
	begin(awaits(gone, false), "destroyed", nullptr);
	gone.handle.destroy();
	never.waiters.clear();
	never.waiters.shrink_to_fit();
}

int main()
{
	static async_mutex a, b;
	static manual_event both, alone;
	static single_event single;
	static socket_of s;
	int ends[2];

	poller = epoll_create1(0);
	if (pipe(ends))
		return 1;
	s.number = ends[0];
	auto one = locks(a, b, both), two = locks(b, a, both);
	one.handle.resume();
	two.handle.resume();
	auto there = both.waiters;
	both.waiters.clear();
	for (auto h : there)
		h.resume();
	printf("%p crosswise %p\n%p crosswise %p\n", one.handle.address(), (void *)&b, two.handle.address(), (void *)&a);
	begin(waits(alone), "event", &alone);
	begin(waits_itself(single), "itself", &single);
	begin(reads(&s), "fd", reinterpret_cast<void *>(static_cast<long>(s.number)));
	auto child = waits(alone);
	kept = begin(awaits(child, false), "awaits", child.handle.address());
	printf("%p event %p\n", child.handle.address(), (void *)&alone);
	begin(late(nothing()), "late", nullptr);
	forgotten();
	forget();
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
