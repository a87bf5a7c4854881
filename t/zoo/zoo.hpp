// zoo.hpp - a small C++20 coroutine library on threads of its own for the programs of the zoo, telling the probe what
// corotrace.hpp asks for. As in zoo.h, each program says in its second line what ct-lostwake must prove of it, its argument
// is the number of workers, all names here are sound, and a bug is what a program does itself. Everything is under one
// lock, Z; it is recursive, for what is destroyed under it takes itself out of the lines in which it stands.
#ifndef ZOO_HPP
#define ZOO_HPP

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <list>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "corotrace.hpp"

inline std::recursive_mutex Z;
using guard_z = std::unique_lock<std::recursive_mutex>;
inline uint64_t now() { return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()); }
inline void pause_ms(long ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

struct waiter;
using line = std::list<waiter *>;
inline line ready;		// the run queue

// One who waits in a line: it lives in the awaiting coroutine's frame, and leaves its line with that.
struct waiter {
	ct_on on;
	line *in = nullptr;
	std::coroutine_handle<> handle;
	uint64_t id = 0, deadline = 0;
	int fd = -1;
	waiter *other = nullptr;	// the same one's, in another line: all, or else either, must be woken
	bool all = false;

	explicit waiter(ct_on on) : on(on) {}
	waiter(const waiter &) = delete;
	~waiter() { leave(); }
	void join(line &l)
	{
		leave();
		l.push_back(this);
		in = &l;
	}
	void leave()
	{
		guard_z g(Z);
		if (in)
			in->remove(this);
		in = nullptr;
	}
};

// Under Z.
inline std::condition_variable_any work, rest;
inline size_t asleep, signalled;	// workers that wait for work; on their way out of that
inline void push(waiter *w)
{
	w->join(ready);
	signalled += signalled < asleep;
	work.notify_one();
}
inline void wake(waiter *w, ct::here h = ct::here::current())
{
	w->leave();
	if (w->other && w->all && w->other->in)
		return;
	if (w->other)
		w->other->leave();
	ct::wake(w->id, w->on, h);
	push(w);
}
inline bool wake_one(line &l)
{
	if (l.empty())
		return false;
	wake(l.front());
	return true;
}
inline void wake_all(line &l) { while (wake_one(l)) ; }

// Wait in a line, unless, looked at under Z, there is no need to.
template <class Need> struct wait_in : waiter {
	line &l;
	Need need;

	wait_in(line &l, ct_on on, Need need) : waiter(on), l(l), need(need) {}
	ct_on waits_on() const { return on; }
	bool await_ready() const { return false; }
	template <class P> bool await_suspend(std::coroutine_handle<P> h)
	{
		guard_z g(Z);
		if (!need())
			return false;
		handle = h;
		id = ct::id(h);
		join(l);
		return true;
	}
	void await_resume() {}
};
inline bool always() { return true; }

// In two lines at once, for the first that comes or for both; needs(i) says under Z whether that one is yet to come.
template <class Needs> struct wait_in_two {
	waiter w[2];
	line *l[2];
	bool all;
	Needs needs;

	wait_in_two(bool all, line &la, ct_on a, line &lb, ct_on b, Needs needs)
	    : w{ waiter(a), waiter(b) }, l{ &la, &lb }, all(all), needs(needs) {}
	auto waits_on() const { return all ? ct::all_of(w[0].on, w[1].on) : ct::any_of(w[0].on, w[1].on); }
	bool await_ready() const { return false; }
	template <class P> bool await_suspend(std::coroutine_handle<P> h)
	{
		guard_z g(Z);
		bool need[] = { needs(0), needs(1) };

		if (all ? !need[0] && !need[1] : !need[0] || !need[1])
			return false;
		for (int i = 0; i < 2; i++) {
			w[i].handle = h;
			w[i].id = ct::id(h);
			w[i].other = &w[!i];
			w[i].all = all;
			w[i].deadline = w[i].on.kind == CT_ON_TIMER ? w[i].on.value : 0;
			if (need[i])
				w[i].join(*l[i]);
		}
		return true;
	}
	void await_resume() {}
};

// A lazy coroutine. Who awaits it runs it and goes on when it ends; a root is run by the workers and may be joined.
struct promise_base : ct::promise_mixin {
	std::coroutine_handle<> awaiter;
	std::exception_ptr error;
	line joiners;
	bool done = false;

	struct last {
		bool await_ready() noexcept { return false; }
		template <class P> std::coroutine_handle<> await_suspend(std::coroutine_handle<P> h) noexcept
		{
			guard_z g(Z);
			promise_base &p = h.promise();

			p.ended();
			p.done = true;
			wake_all(p.joiners);
			return p.awaiter ? p.awaiter : std::noop_coroutine();
		}
		void await_resume() noexcept {}
	};
	last final_suspend() noexcept { return {}; }
	void unhandled_exception() { error = std::current_exception(); }
};
template <class T> struct promise_of : promise_base {
	std::optional<T> value;
	void return_value(T v) { value.emplace(std::move(v)); }
	T result() { return std::move(*value); }
};
template <> struct promise_of<void> : promise_base {
	void return_void() {}
	void result() {}
};

template <class T = void> struct task {
	struct promise_type : promise_of<T> {
		task get_return_object() { return task(std::coroutine_handle<promise_type>::from_promise(*this)); }
	};
	std::coroutine_handle<promise_type> handle;

	explicit task(std::coroutine_handle<promise_type> h) : handle(h) {}
	task(task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
	~task()
	{
		if (handle)
			handle.destroy();
	}
	bool await_ready() const { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> h)
	{
		handle.promise().awaiter = h;
		return handle;
	}
	T await_resume()
	{
		if (handle.promise().error)
			std::rethrow_exception(handle.promise().error);
		return handle.promise().result();
	}
};

// A task that the workers run; its frame goes when it is cancelled, or with the pool.
struct root {
	task<> t;
	waiter first;

	explicit root(task<> &&t) : t(std::move(t)), first(ct_nothing()) {}
	uint64_t id() const { return ct::id(t.handle); }
	bool done() const { return t.handle.promise().done; }
};
inline std::list<root> roots;
inline root *spawn(task<> &&t, const char *name)
{
	guard_z g(Z);
	root *r = &roots.emplace_back(std::move(t));

	ct::name(r->t.handle, name);
	r->first.handle = r->t.handle;
	r->first.id = r->id();
	wake(&r->first);
	return r;
}
inline auto join(root *r)
{
	return wait_in(r->t.handle.promise().joiners, ct_join(r->id()), [r] { return !r->done(); });
}
// One that waits, or has ended; not one that runs.
inline void cancel(root *r)
{
	guard_z g(Z);
	roots.remove_if([r](root &other) { return &other == r; });
}

inline line sleepers, readers;
inline auto sleep_ms(uint64_t ms)
{
	uint64_t deadline = now() + ms * 1000000;
	struct sleep : wait_in<bool (*)()> {
		explicit sleep(uint64_t at) : wait_in(sleepers, ct_timer(at), always) { deadline = at; }
	};
	return sleep(deadline);
}
inline auto readable(int fd)
{
	struct input : wait_in<bool (*)()> {
		explicit input(int of) : wait_in(readers, ct_fd(of), always) { fd = of; }
	};
	return input(fd);
}

struct event {
	bool is_set = false;
	line waiting;
	auto wait() { return wait_in(waiting, ct_cond(this), [this] { return !is_set; }); }
	void set()
	{
		guard_z g(Z);
		is_set = true;
		ct_level(ct_cond(this), 1);
		wake_all(waiting);
	}
};

struct semaphore {
	uint64_t permits = 0;
	line waiting;
	task<> take()
	{
		for (;;) {
			co_await wait_in(waiting, ct_sem(this), [this] { return !permits; });
			guard_z g(Z);
			if (!permits)
				continue;
			ct_level(ct_sem(this), --permits);
			co_return;
		}
	}
	void give()
	{
		guard_z g(Z);
		ct_level(ct_sem(this), ++permits);
		wake_one(waiting);
	}
};

struct mutex {
	bool held = false;
	line waiting;
	struct guard {
		mutex *m;
		explicit guard(mutex *m) : m(m) {}
		guard(guard &&other) noexcept : m(std::exchange(other.m, nullptr)) {}
		~guard()
		{
			if (m)
				m->unlock();
		}
	};
	bool try_lock()
	{
		guard_z g(Z);
		if (held)
			return false;
		held = true;
		ct_acquire(ct_mutex(this));
		return true;
	}
	task<guard> lock()
	{
		while (!try_lock())
			co_await wait_in(waiting, ct_mutex(this), [this] { return held; });
		co_return guard(this);
	}
	void unlock()
	{
		guard_z g(Z);
		held = false;
		ct_release(ct_mutex(this));
		wake_one(waiting);
	}
};

template <class T> struct channel {
	size_t room;
	bool closed = false;
	std::list<T> items;
	line receivers, senders;

	explicit channel(size_t room) : room(room) {}
	ct_on on() const { return ct_chan(this); }
	task<bool> send(T v)
	{
		for (;;) {
			co_await wait_in(senders, on(), [this] { return items.size() == room && !closed; });
			guard_z g(Z);
			if (closed)
				co_return false;
			if (items.size() == room)
				continue;
			items.push_back(std::move(v));
			ct_level(on(), items.size());
			wake_one(receivers);
			co_return true;
		}
	}
	task<std::optional<T>> receive()
	{
		for (;;) {
			co_await wait_in(receivers, on(), [this] { return items.empty() && !closed; });
			guard_z g(Z);
			if (items.empty() && !closed)
				continue;
			if (items.empty())
				co_return std::nullopt;
			std::optional<T> v = std::move(items.front());
			items.pop_front();
			ct_level(on(), items.size());
			wake_one(senders);
			co_return v;
		}
	}
	void close()
	{
		guard_z g(Z);
		closed = true;
		ct_close(on());
		wake_all(receivers);
		wake_all(senders);
	}
};

// Workers, a timer and a reactor. The end joins them and destroys all frames.
class pool {
	bool stopping = false;
	size_t count;
	std::vector<std::thread> threads;

	void run()
	{
		guard_z g(Z);

		ct_thread(CT_WORKER, "worker");
		while (!stopping) {
			if (!ready.empty()) {
				waiter *w = ready.front();
				std::coroutine_handle<> h = w->handle;

				w->leave();
				g.unlock();
				h.resume();
				g.lock();
				continue;
			}
			ct_park(0);
			asleep++;
			rest.notify_all();
			while (!stopping && ready.empty()) {
				work.wait(g);
				signalled -= signalled > 0;
				rest.notify_all();
			}
			asleep--;
			ct_unpark(ready.size());
		}
	}
	static void poll_readers()
	{
		for (auto i = readers.begin(); i != readers.end();) {
			waiter *w = *i++;
			pollfd p = { w->fd, POLLIN, 0 };

			if (poll(&p, 1, 0) == 1 && p.revents & (POLLIN | POLLHUP))
				wake(w);
		}
	}
	void tick()
	{
		ct_thread(CT_OTHER, "reactor");
		for (;; pause_ms(2)) {
			guard_z g(Z);

			if (stopping)
				return;
			for (auto i = sleepers.begin(); i != sleepers.end();) {
				waiter *w = *i++;

				if (w->deadline <= now())
					wake(w);
			}
			poll_readers();
		}
	}

public:
	pool(int argc, char **argv) : count(argc > 1 ? size_t(atoi(argv[1])) : 2)
	{
		for (size_t i = 0; i < count; i++)
			threads.emplace_back([this] { run(); });
		threads.emplace_back([this] { tick(); });
		settle();	// that they were slow to begin is no delay of a coroutine's
	}
	// Until whatever can run has run.
	void settle()
	{
		guard_z g(Z);
		rest.wait(g, [this] { return ready.empty() && !signalled && asleep == count; });
	}
	// For longer than the grace; then take all apart.
	~pool()
	{
		pause_ms(400);
		{
			guard_z g(Z);
			stopping = true;
			work.notify_all();
		}
		for (std::thread &t : threads)
			t.join();
		roots.clear();
	}
};

// Run it on a thread of its own, and to its end: a race that always ends the same way.
template <class F> void elsewhere(F f) { std::thread(f).join(); }

struct sockets {
	int a, b;
	sockets()
	{
		int fd[2];
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0)
			abort();
		a = fd[0], b = fd[1];
		ct_open(ct_fd(a), "a");
		ct_open(ct_fd(b), "b");
	}
	static void close(int &fd)
	{
		guard_z g(Z);
		if (fd < 0)
			return;
		ct_close(ct_fd(fd));
		::close(fd);
		fd = -1;
	}
	~sockets() { close(a), close(b); }
};
#endif
