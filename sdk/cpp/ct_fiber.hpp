// ct_fiber.hpp - Boost.Fiber under the probe: a scheduling algorithm that reports by itself.
//
//	#include "ct_fiber.hpp"
//
//	boost::fibers::use_scheduling_algorithm<ct::fibers::traced<>>();		// round_robin
//	boost::fibers::use_scheduling_algorithm<ct::fibers::traced<shared_work>>();	// or another
//
// in each thread that runs fibers, first of all. Then each fiber is a coroutine, the thread's own one
// too, each switch of theirs a suspend and a resume, each time that one becomes ready a wake, and the
// thread a worker that parks. What a fiber waits for, Boost does not show; so say it:
//
//	ct::fibers::mutex			in the place of boost::fibers::mutex
//	ct::fibers::waits w(ct_chan(&q));	what this fiber waits for while w lives
//	ct::fibers::name("session");		the fiber that runs
//
// It wraps algorithms that have no properties of their own: a fiber's are used. A fiber launched by
// launch::dispatch is first seen when it first waits. See corotrace(3).
#ifndef CT_FIBER_HPP
#define CT_FIBER_HPP

#include <boost/fiber/algo/round_robin.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/mutex.hpp>
#include <boost/fiber/properties.hpp>
#include <boost/fiber/scheduler.hpp>
#include <boost/intrusive_ptr.hpp>
#include <atomic>
#include <iterator>
#include <mutex>
#include <type_traits>
#include <utility>

#include "corotrace.hpp"

namespace ct::inline CT_EDITION::fibers {
namespace detail {

using boost::fibers::context;
using boost::fibers::type;

// A fiber's probe, kept with it.
struct probe : boost::fibers::fiber_properties {
	using fiber_properties::fiber_properties;
	~probe() override
	{
		if (seen)
			ct_destroy(&coro, 1);
	}
	ct_coro coro = {};
	bool seen = false, running = false;
	bool woken = false;	// by another thread, who reported it
	bool waits = false;	// on is what for, at site
	ct::on on = ct_nothing();
	uint32_t site = 0;
};

// Of a fiber or a thread's own; NULL: it is the dispatcher, which is no coroutine.
inline probe *of(context *c) noexcept
{
	if (!c || c->is_context(type::dispatcher_context))
		return nullptr;
	if (!c->get_properties())
		c->set_properties(new probe(c));
	return static_cast<probe *>(c->get_properties());
}

inline probe *born(context *c, uint64_t parent) noexcept
{
	probe *p = of(c);
	if (p && !p->seen && ct_enabled()) {
		p->seen = true;
		ct_create(&p->coro, parent, CT_NOWHERE, c,
			c->is_context(type::main_context) ? "thread" : nullptr);
	}
	return p;
}

// Its scheduler has it on its list no more. On the list of those that ended, the last looks as if it
// were on none.
inline bool has_ended(const context *c) noexcept
{
	return c->is_context(type::worker_context) && !c->worker_is_linked();
}

inline void resumes(probe *p) noexcept
{
	p->running = true;
	ct_resume(&p->coro);
}
inline void suspends(probe *p) noexcept
{
	p->running = false;
	ct_suspend_at(&p->coro, p->waits ? p->site : 0, p->waits ? p->on : ct_nothing());
}

// One that runs, and of which nobody has seen that it began, or went on.
inline probe *runs(context *c, uint64_t parent = 0) noexcept
{
	probe *p = born(c, parent);
	if (p && p->seen && !p->running)
		resumes(p);
	return p;
}

// Where the thread's algorithm is not traced, a fiber's properties may be another's. Never inlined:
// see CT_API in ct.c.
inline thread_local int traced_here = 0;
__attribute__((noinline)) inline void traces(int more) noexcept { traced_here += more; }
__attribute__((noinline)) inline probe *runs_here() noexcept
{
	return ct_enabled() && traced_here ? runs(context::active()) : nullptr;
}

// Boost tells an algorithm that another thread has woken a fiber, and not which: that is the last of a
// private queue. Where a template is instantiated by hand, anything may be named.
using boost::fibers::scheduler;
template <auto member, class Tag> struct reach {
	friend constexpr auto reached(Tag) noexcept { return member; }
};
struct remote_queue {
	friend constexpr auto reached(remote_queue) noexcept;
};
struct remote_lock {
	friend constexpr auto reached(remote_lock) noexcept;
};
#if !defined BOOST_FIBERS_NO_ATOMICS
template struct reach<&scheduler::remote_ready_queue_, remote_queue>;
template struct reach<&scheduler::remote_ready_splk_, remote_lock>;
#endif

} // namespace detail

// What the fiber that runs waits for, wherever it does, while this lives.
class waits {
public:
	explicit waits(on what, here h = here::current()) noexcept
	{
		if (!(probe_ = detail::runs_here()))
			return;
		before_ = { probe_->waits, probe_->on, probe_->site };
		probe_->waits = true;
		probe_->on = what;
		probe_->site = h.site();
	}
	~waits()
	{
		if (!probe_)
			return;
		probe_->waits = before_.waits;
		probe_->on = before_.on;
		probe_->site = before_.site;
	}
	waits(const waits &) = delete;
	waits &operator=(const waits &) = delete;

private:
	detail::probe *probe_ = nullptr;
	struct { bool waits; ct::on on; uint32_t site; } before_ = {};
};

inline void name(const char *text) noexcept
{
	if (detail::probe *p = detail::runs_here())
		ct_name(&p->coro, text);
}

// A mutex whose waiters and holders are known. The site is the caller's; under std::unique_lock that
// is a line of the library, so prefer lock(), or record with --stacks.
class mutex : public boost::fibers::mutex {
public:
	void lock(here h = here::current())
	{
		{
			waits w(ct_mutex(this), h);
			boost::fibers::mutex::lock();
		}
		ct::acquire(ct_mutex(this), h);
	}
	bool try_lock(here h = here::current())
	{
		bool got = boost::fibers::mutex::try_lock();
		if (got)
			ct::acquire(ct_mutex(this), h);
		return got;
	}
	void unlock(here h = here::current())
	{
		ct::release(ct_mutex(this), h);
		boost::fibers::mutex::unlock();
	}
};

// As Algorithm, and reports.
template <class Algorithm = boost::fibers::algo::round_robin>
class traced : public boost::fibers::algo::algorithm {
	using with_properties = boost::fibers::algo::algorithm_with_properties_base;
	static_assert(!std::is_base_of_v<with_properties, Algorithm>,
		"a fiber's properties are its probe");
	using context = boost::fibers::context;

public:
	template <class... Args> explicit traced(Args &&...args)
		: inner_(new Algorithm(std::forward<Args>(args)...))
	{
		detail::traces(1);
		ct_thread(CT_WORKER, "fibers");
	}
	~traced() override { detail::traces(-1); }

	void awakened(context *c) noexcept override
	{
		gets_up();
		detail::probe *p = ct_enabled() ? detail::of(c) : nullptr;
		bool left = p && p->running && c != context::active();
		if (left)	// for one that it launched by launch::dispatch
			detail::suspends(p);
		if (p)
			detail::runs(context::active(), left ? p->coro.id : 0);
		if (p && detail::born(c, ct_current())->seen && !std::exchange(p->woken, false))
			ct_wake(p->coro.id, ct_nothing());
		inner_->awakened(c);
	}

	// Called by the fiber that is about to stop.
	context *pick_next() noexcept override
	{
		context *next = inner_->pick_next();
		if (!scheduler_.load(std::memory_order_relaxed))
			scheduler_.store(context::active()->get_scheduler(),
				std::memory_order_relaxed);
		if (next)
			gets_up();
		if (ct_enabled() && next)
			switches(context::active(), next);
		return next;
	}

	bool has_ready_fibers() const noexcept override { return inner_->has_ready_fibers(); }

	// Called again and again by a thread that finds nothing: it may return at once.
	void suspend_until(std::chrono::steady_clock::time_point const &until) noexcept override
	{
		if (!std::exchange(parked_, true))
			ct_park(0);
		inner_->suspend_until(until);
	}

	// By another thread, that has woken one.
	void notify() noexcept override
	{
#if !defined BOOST_FIBERS_NO_ATOMICS
		if (ct_enabled())
			wakes_remotely();
#endif
		inner_->notify();
	}

private:
#if !defined BOOST_FIBERS_NO_ATOMICS
	// Else the thread itself would, once what it runs now lets it.
	void wakes_remotely() noexcept
	{
		auto *its = scheduler_.load(std::memory_order_relaxed);
		if (!its)
			return;
		auto &queue = its->*reached(detail::remote_queue{});
		std::lock_guard held(its->*reached(detail::remote_lock{}));
		auto at = queue.begin();

		if (at != queue.end() && &*at == first_ && is_woken(first_))
			at = std::next(queue.iterator_to(*last_));
		for (; at != queue.end(); ++at) {
			auto *p = static_cast<detail::probe *>(at->get_properties());

			if (p && p->seen && !std::exchange(p->woken, true))
				ct_wake(p->coro.id, ct_nothing());
			first_ = &queue.front();
			last_ = &*at;
		}
	}
	static bool is_woken(context *c) noexcept
	{
		auto *p = static_cast<detail::probe *>(c->get_properties());

		return p && p->woken;
	}
#endif
	void gets_up() noexcept
	{
		if (std::exchange(parked_, false))
			ct_unpark(CT_DEPTH_UNKNOWN);
	}
	static void switches(context *active, context *next) noexcept
	{
		detail::probe *from = detail::runs(active), *to = detail::born(next, 0);
		if (from && detail::has_ended(active)) {
			from->seen = false;
			ct_destroy(&from->coro, 1);
		} else if (from) {
			detail::suspends(from);
		}
		if (to)
			detail::resumes(to);
	}

	boost::intrusive_ptr<Algorithm> inner_;	// others may hold it, too: who steals from it
	bool parked_ = false;
	std::atomic<boost::fibers::scheduler *> scheduler_ = nullptr;	// not known before it runs
	context *first_ = nullptr, *last_ = nullptr;	// of those known to be woken from elsewhere
};

} // namespace ct::fibers
#endif
