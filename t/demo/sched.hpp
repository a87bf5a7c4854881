// sched.hpp - a small M:N scheduler for C++20 coroutines: worker threads, a run queue each, stealing, an epoll reactor.
//
// It is here to be traced (server.cc), and to show where a scheduler calls the probe: grep for "ct" to see all of it.
// One switch, scheduler::mended, decides what happens to a coroutine whose connection the peer has reset.
#ifndef SCHED_HPP
#define SCHED_HPP

#include "corotrace.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <semaphore.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <vector>

// A coroutine that nobody awaits: spawned, run by workers, frees itself at its end.
struct job {
	struct promise_type : ct::promise_mixin {
		promise_type(ct::here h = ct::here::current()) : ct::promise_mixin(h) {}
		job get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_never final_suspend() noexcept
		{
			ended();
			return {};
		}
		void return_void() {}
		void unhandled_exception() { std::terminate(); }
	};
	std::coroutine_handle<promise_type> handle;
};

// What stands in a run queue: a coroutine to resume; or, hung_up, one whose descriptor the peer has given up.
struct runnable {
	std::coroutine_handle<> coroutine;
	uint64_t id = 0;	// for the probe: the coroutine may be gone when it is named
	int fd = -1;
	bool hung_up = false;
};

class scheduler {
public:
	static constexpr int max_fds = 1024;
	const bool mended;
	std::atomic<int> opened{ 0 }, closed{ 0 };	// connections

	scheduler(unsigned count, bool mended) : mended(mended), workers_(count)
	{
		sem_init(&ready_, 0, 0);
		epoll_ = must(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
		bell_ = must(eventfd(0, EFD_CLOEXEC), "eventfd");
		epoll_event ev = { EPOLLIN, { .fd = bell_ } };
		must(epoll_ctl(epoll_, EPOLL_CTL_ADD, bell_, &ev), "epoll_ctl");
		for (unsigned i = 0; i < count; i++)
			workers_[i].thread = std::thread([this, i] { work(i); });
		reactor_ = std::thread([this] { react(); });
	}

	// Ends the threads. Coroutines that still wait are left as they are: that is what the trace is to tell.
	void stop()
	{
		stop_ = true;
		must(write(bell_, "ring...", 8), "write");
		for (size_t i = 0; i < workers_.size(); i++)
			sem_post(&ready_);
		for (auto &w : workers_)
			w.thread.join();
		reactor_.join();
	}

	void spawn(job j)
	{
		uint64_t id = ct::id(j.handle);

		ct::wake(id);
		push({ j.handle, id });
	}

	void open(int fd, const std::string &name)
	{
		ct_open(ct_fd(fd), name.c_str());
		opened++;
	}
	void close(int fd)
	{
		ct_close(ct_fd(fd)); // before close(2): afterwards the number may be somebody else's
		::close(fd);
		closed++;
	}

	// Suspends until fd is readable; false when the peer has hung up.
	struct readable_awaiter {
		scheduler &s;
		int fd;

		ct_on waits_on() const { return ct_fd(fd); }
		bool await_ready() const { return false; }
		template <class P> void await_suspend(std::coroutine_handle<P> h) { s.wait(fd, h, ct::id(h)); }
		bool await_resume() const { return !s.waiters_[fd].hung_up; }
	};
	readable_awaiter readable(int fd) { return { *this, fd }; }

	static int must(long result, const char *what)
	{
		if (result >= 0)
			return int(result);
		perror(what);
		exit(1);
	}

private:
	struct worker {
		std::thread thread;
		std::mutex lock;
		std::deque<runnable> queue;
	};

	void push(runnable r)
	{
		worker &w = workers_[next_++ % workers_.size()];
		{
			std::lock_guard hold(w.lock);
			w.queue.push_back(r);
		}
		sem_post(&ready_); // one count a queued item: who gets the count finds an item in one of the queues
	}

	runnable take(unsigned self)
	{
		for (unsigned i = self;; i++) {
			worker &w = workers_[i % workers_.size()];
			std::lock_guard hold(w.lock);
			if (w.queue.empty()) {
				if (stop_)
					return {};
				continue;
			}
			runnable r = w.queue.front();
			w.queue.pop_front();
			return r;
		}
	}

	void work(unsigned self)
	{
		ct_thread(CT_WORKER, ("worker " + std::to_string(self + 1)).c_str());
		while (!stop_) {
			if (sem_trywait(&ready_) != 0) {
				ct_park(0);
				while (sem_wait(&ready_) != 0) {
				}
				ct_unpark(1); // the item whose count it got
			}
			runnable r = take(self);
			if (r.hung_up)
				hang_up(r);
			else if (r.coroutine)
				r.coroutine.resume();
		}
	}

	// The peer is gone.
	void hang_up(runnable r)
	{
		if (!mended) {
			close(r.fd); // The bug: a coroutine waits for this descriptor, and is never resumed.
			return;
		}
		ct::wake(r.id, ct_fd(r.fd));
		r.coroutine.resume();
	}

	void wait(int fd, std::coroutine_handle<> h, uint64_t id)
	{
		epoll_event ev = { EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, { .fd = fd } };
		std::lock_guard hold(waiting_); // the reactor reads the entry only after this call is over

		if (fd >= max_fds)
			must((errno = EMFILE, -1), "readable");
		waiters_[fd] = { h, id, fd, false };
		if (epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &ev) != 0)
			must(epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &ev), "epoll_ctl");
	}

	runnable arrived(const epoll_event &ev)
	{
		std::lock_guard hold(waiting_);
		runnable &r = waiters_[ev.data.fd];

		r.hung_up = ev.events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR);
		return r;
	}

	void react()
	{
		std::array<epoll_event, 64> events;

		ct_thread(CT_OTHER, "reactor");
		while (!stop_) {
			int count = epoll_wait(epoll_, events.data(), events.size(), -1);
			for (int i = 0; i < count && !stop_; i++) {
				runnable r = arrived(events[i]);
				if (!r.hung_up)
					ct::wake(r.id, ct_fd(r.fd));
				push(r);
			}
		}
	}

	std::vector<worker> workers_;
	std::thread reactor_;
	std::atomic<unsigned> next_{ 0 };
	std::atomic<bool> stop_{ false };
	sem_t ready_;
	int epoll_, bell_;
	std::mutex waiting_;
	std::array<runnable, max_fds> waiters_;	// by descriptor: who waited there last
};

#endif
