// corotrace.hpp - the corotrace probe for C++20 coroutines. Header only; GCC 11 and Clang 14
// onwards.
//
//	struct task {
//		struct promise_type : ct::promise_mixin { ... as before ... };
//	};
//
// That records every create, every co_await (with its own file, line and function), resume and end.
// What only your code knows, it says, where it can, by these:
//
//	on waits_on() const	a member of an awaiter (or of an awaitable): what it waits for,
//				ct_fd(fd) ...
//	auto waits_on() const	of one that waits for several, or with a time limit:
//				ct::any_of(ct_chan(&q), ct_timer(at)), ct::all_of(...)
//	ct::wake(id, ct_fd(fd))	by the waker, before the push to the run queue; id = ct::id(handle),
//				in await_suspend of a handle without type, too
//	ct::wake(handle, ...)	by one who has but the handle, of whatever type
//	ct::name(handle, "conn 3")
//	ct::close(ct_fd(fd))	and open, notify, acquire, release: as in ct.h, with the caller's place
//	ct_park(0) ...		all of ct.h
//	ended()			first thing in a final_suspend of your own: it has ended, not been cancelled
//	started()		first thing in an initial_suspend of your own that does not suspend, and in
//				the await_resume of one that does: else locks that it takes before its
//				first co_await are nobody's
//	traced(awaitable, h)	in an await_transform or yield_value of your own; h is a last parameter,
//				ct::here h = ct::here::current()
//
// Awaiting a coroutine whose own promise is traced is reported as coro:ID when its return object
// has waits_on(), or a public handle named handle, coro, coroutine or h. See corotrace(3).
//
// Define CT_LINKED to link libct instead of compiling ct.c into every translation unit that
// includes this.
#ifndef COROTRACE_HPP
#define COROTRACE_HPP

// Qt's keywords are macros, of words that are names here.
#pragma push_macro("slots")
#pragma push_macro("signals")
#pragma push_macro("emit")
#undef slots
#undef signals
#undef emit

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstdint>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <type_traits>
#include <utility>
#if __has_include(<source_location>)
#include <source_location>
#endif

#if defined CT_LINKED
#if __has_include("../c/ct.h")
#include "../c/ct.h"
#else
#include "ct.h"
#endif
#else
#define CT_HEADER_ONLY
#if __has_include("../c/ct.c")
#include "../c/ct.c"
#else
#include "ct.c"
#endif
#endif

#ifndef CT_EDITION
#define CT_EDITION ct_edition
#endif
namespace ct::inline CT_EDITION {

class promise_mixin;
using on = ::ct_on;

// A place in the source. As a last parameter `here h = here::current()` it is the caller's place;
// in await_transform, that of the co_await expression; in a promise's constructor, the coroutine's
// (GCC: the line of its closing brace).
struct here {
	const char *func, *file;
	unsigned line;

	static constexpr here current(const char *func = __builtin_FUNCTION(),
		const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()) noexcept
	{
		return { func, file, line };
	}
#if defined __cpp_lib_source_location
	static constexpr here at(const std::source_location &l) noexcept
	{
		return { l.function_name(), l.file_name(), l.line() };
	}
#endif
	uint32_t site() const noexcept { return ct_intern_site(func, file, line); }
};

// One of several things that an await is for, and where. A thing alone is a leg without a place.
using leg = ::ct_leg;
inline leg leg_of(on what, here h = here::current()) noexcept
{
	return { what, nullptr, h.site() };
}

// What waits_on() returns of any or all of as many as are known at run time: the legs are the
// awaiter's, and stay as they are until the await is over.
struct several {
	const leg *legs;
	size_t count;
	bool all;
};
inline several any_of(const leg *legs, size_t count) noexcept { return { legs, count, false }; }
inline several all_of(const leg *legs, size_t count) noexcept { return { legs, count, true }; }

// Attach, where a recorder started us; says whether it did. Done before main, so that to inherit is
// all there is to do; for a program that was not linked so (dlopen) or sets the environment itself,
// it may be called at any time.
inline bool init() noexcept { return ct_init() != 0; }

// As ct_box(), ct_start(), ct_stop() and ct_dump() of ct.h.
inline bool box(const char *how = nullptr) noexcept { return ct_box(how) != 0; }
inline bool start() noexcept { return ct_start() != 0; }
inline void stop() noexcept { ct_stop(); }
inline int dump(const char *file) noexcept { return ct_dump(file); }

namespace detail {
inline const bool attached = init();

template <class A> class awaiting;

// May a generator leave without telling, by a yield_value whose awaiter is not that of traced()? One
// that is overloaded or a template may: which will be called is not known.
template <class> inline constexpr bool tells = false;
template <class A, class P, class... T>
inline constexpr bool tells<awaiting<A> (P::*)(T...)> = true;
template <class A, class P, class... T>
inline constexpr bool tells<awaiting<A> (P::*)(T...) noexcept> = true;
struct yields_too {
	int yield_value;
};
template <class P> struct yields_twice : P, yields_too {};
template <class P> constexpr bool yields_untold() noexcept
{
	if constexpr (requires { &P::yield_value; })
		return !tells<decltype(&P::yield_value)>;
	else if constexpr (!std::is_final_v<P>)		// an overloaded one is ambiguous here
		return !requires { &yields_twice<P>::yield_value; };
	else
		return false;
}

// One for all parts of a program, however they were built.
#pragma GCC visibility push(default)

// Who is in its await_suspend on this thread. The accesses are never inlined: see CT_API in ct.c.
struct leaving {
	const void *frame;
	uint64_t id;
};
inline thread_local leaving leaving_now = { nullptr, 0 };
__attribute__((noinline)) inline leaving leaves(leaving l) noexcept
{
	return std::exchange(leaving_now, l);
}
__attribute__((noinline)) inline leaving leaves() noexcept { return leaving_now; }

// Who is in its first run on this thread, begun within whom; the innermost last.
struct first_runs {
	enum { MOST = 16 };
	struct run {
		uint64_t id, within;
	} runs[MOST];
	unsigned count;
};
inline thread_local first_runs first_runs_now = {};
__attribute__((noinline)) inline void begins(uint64_t id, uint64_t within) noexcept
{
	first_runs &f = first_runs_now;

	if (f.count == f.MOST)		// nobody's is what the outermost takes then
		for (f.count = 0; f.count < f.MOST - 1; f.count++)
			f.runs[f.count] = f.runs[f.count + 1];
	f.runs[f.count++] = { id, within };
}
// That coroutine runs here: whom it began within it has left, if untold. Who began it, if this is its
// first run, which may be over.
__attribute__((noinline)) inline uint64_t runs_within(uint64_t id, bool over) noexcept
{
	first_runs &f = first_runs_now;

	for (unsigned i = f.count; i--;) {
		if (f.runs[i].within == id)
			f.count = i;
		if (f.runs[i].id == id) {
			f.count = over ? i : i + 1;
			return f.runs[i].within;
		}
	}
	return 0;
}

// Coroutines by the address of their frame, where somebody wakes by a handle without a type. A list is
// whole between any two stores: a signal handler that came between looks into it, and a child whose
// parent's other thread was at one goes on with it.
struct frames {
	enum { LOCKS = 64, LISTS = 1 << 16 };
	std::atomic<const void *> holders[LOCKS];	// threads, by their leaving_now
	promise_mixin *lists[LISTS];

	template <class F> __attribute__((noinline)) void with(const void *frame, F f) noexcept
	{
		auto n = uint64_t(reinterpret_cast<uintptr_t>(frame)) * 0x9e3779b97f4a7c15 >> 48;
		const void *none = nullptr, *me = &leaving_now;
		auto &holder = holders[n % LOCKS];
		bool held = holder.load(std::memory_order_relaxed) == me;

		while (!held &&
			!holder.compare_exchange_weak(none, me, std::memory_order_acquire)) {
			none = nullptr;
			sched_yield();
		}
		f(lists[n % LISTS]);
		if (!held)
			holder.store(nullptr, std::memory_order_release);
	}
	void forked() noexcept
	{
		for (auto &holder : holders)
			holder.store(nullptr, std::memory_order_relaxed);
	}
};
inline constinit frames all_frames = {};
inline int frames_wanted = 0;		// atomic
inline bool want_frames() noexcept
{
	if (!__atomic_exchange_n(&frames_wanted, 1, __ATOMIC_RELAXED))
		pthread_atfork(nullptr, nullptr, [] { all_frames.forked(); });
	return true;
}
#pragma GCC visibility pop

// On this thread that coroutine goes on, within which another ran; 0: none does.
inline void goes_on(uint64_t id) noexcept
{
	if (id && ct_enabled())
		ct_runs_(id);
}

template <class P> struct wants_frames {
	static inline const bool yes = want_frames();
};
}

// Inside an await_suspend: the id of the coroutine that suspends, 0 where it is not traced.
inline uint64_t suspending() noexcept { return detail::leaves().id; }

class promise_mixin {
public:
	promise_mixin() noexcept { ct_create_at_site(nullptr); }
	// For a create line with a place: promise_type(ct::here h = ct::here::current()) :
	// ct::promise_mixin(h) {}
	explicit promise_mixin(here h) noexcept { ct_create_at_site(&h); }
	promise_mixin(const promise_mixin &) = delete;
	promise_mixin &operator=(const promise_mixin &) = delete;

	// Destroyed while it runs: it came to its end. Destroyed where it stood: cancelled.
	~promise_mixin()
	{
		ct_list(nullptr);
		if (ct_probe_.id && ct_state_ != over) {
			uint64_t within = detail::runs_within(ct_probe_.id, true);
			bool here = ct_current() == ct_probe_.id;	// nobody has run here since

			ct_destroy(&ct_probe_,
				ct_state_ == running || (ct_state_ == fresh && ct_at_end()));
			if (here)
				detail::goes_on(within);
		}
	}

	// Every co_await of the coroutine's body. What is awaited lives on to the end of the full
	// expression, as it would without us, so it is referred to, not moved.
	template <class A> auto await_transform(A &&a, here h = here::current())
	{
		return detail::awaiting<A &&>(*this, std::forward<A>(a), h);
	}
	// For an await_transform or yield_value of your own: an rvalue is moved in, for it may be
	// your parameter. One that cannot be moved is referred to: let your parameter be A &&.
	template <class A> auto traced(A &&a, here h)
	{
		constexpr bool as_is = std::is_reference_v<A> || std::move_constructible<A>;
		using held = std::conditional_t<as_is, A, A &&>;

		return detail::awaiting<held>(*this, std::forward<A>(a), h);
	}

	struct start {
		promise_mixin *promise;
		bool late = false;
		bool await_ready() const noexcept { return false; }
		template <class P> void await_suspend(std::coroutine_handle<P> h) noexcept
		{
			late = detail::yields_untold<P>();
			if (promise->ct_listed_)	// by a guess
				promise->ct_list(h.address());
		}
		void await_resume() const noexcept
		{
			if (!late)
				promise->started();
		}
	};
	// Lazy: suspends until somebody resumes it. One of your own hides it; the first resume is
	// then reported late, at the first co_await; so is that of a generator that does not tell
	// when it yields, for whom it leaves then would not be known.
	start initial_suspend(here h = here::current()) noexcept
	{
		if (ct_unnamed_)
			ct_name(&ct_probe_, h.func);
		return { this };
	}
	std::suspend_always final_suspend() noexcept
	{
		ended();
		return {};
	}

	void started() noexcept
	{
		if (ct_enabled() && ct_state_ != over) {
			uint64_t within = ct_state_ == fresh ? ct_current() : 0;

			if (within)
				detail::begins(ct_probe_.id, within);
			ct_state_ = running;
			ct_resume_(&ct_probe_);
		}
	}
	void ended() noexcept
	{
		if (ct_probe_.id && ct_state_ != over) {
			ct_state_ = over;
			ct_destroy(&ct_probe_, 1);
			detail::goes_on(detail::runs_within(ct_probe_.id, true));
		}
	}

	uint64_t ct_id() const noexcept { return ct_probe_.id; }
	ct_coro *ct_probe() noexcept { return &ct_probe_; }
	// Of whom it is found there, else 0.
	static uint64_t ct_listed_at(const void *frame) noexcept
	{
		uint64_t id = 0;

		detail::all_frames.with(frame, [&](promise_mixin *p) {
			while (p && p->ct_listed_ != frame)
				p = p->ct_next_;
			id = p ? p->ct_probe_.id : 0;
		});
		return id;
	}

protected:
	// For a promise around a library's own: with a place and a name, or not a coroutine at all.
	promise_mixin(const here &h, bool shown) noexcept
	{
		if (shown) {
			ct_create_at_site(&h);
			ct_unnamed_ = true;
		} else {
			ct_state_ = over;
		}
	}

	// It stops running; whom it began within, where this was its first run.
	uint64_t ct_suspending(const here &h, const on &what, void *frame) noexcept
	{
		if (ct_leaves(frame))
			ct_suspend_at(&ct_probe_, h.site(), what);
		return detail::runs_within(ct_probe_.id, true);
	}
	uint64_t ct_suspending(const here &h, const several &what, void *frame) noexcept
	{
		if (ct_leaves(frame))
			ct_suspend_legs_(&ct_probe_, CT_NOWHERE, h.site(), what.all, what.legs,
				what.count);
		return detail::runs_within(ct_probe_.id, true);
	}

private:
	template <class A> friend class detail::awaiting;

	// Is it in the trace? What was born before that began comes to be known here, where it runs.
	bool ct_known() noexcept { return ct_probe_.id || (ct_enabled() && ct_meet()); }
	__attribute__((noinline)) bool ct_meet() noexcept
	{
		if (ct_state_ == over)
			return false;
		ct_state_ = running;
		ct_resume_(&ct_probe_);
		return ct_probe_.id != 0;
	}
	// Its body does, whomever it has resumed since it was.
	void ct_runs() noexcept
	{
		if (ct_state_ == fresh)
			started();
		else if (ct_state_ == running) {
			detail::runs_within(ct_probe_.id, false);
			detail::goes_on(ct_probe_.id);
		}
	}
	// Apart: compilers put a small await_suspend into the body of its coroutine. A call of a large
	// one, the last there, would take the body's place on the call stack.
	__attribute__((noinline)) bool ct_leaves(void *frame) noexcept
	{
		if (!ct_enabled() || ct_state_ == over)
			return false;
		ct_state_ = suspended;
		ct_probe_.frame = reinterpret_cast<uintptr_t>(frame);
		ct_list(frame);
		return true;
	}
	// Where it is found by the address of its frame; nullptr: nowhere.
	void ct_list(const void *frame) noexcept
	{
		if (frame == ct_listed_ || (frame && !__atomic_load_n(&detail::frames_wanted,
							__ATOMIC_RELAXED)))
			return;
		if (ct_listed_)
			detail::all_frames.with(ct_listed_, [this](promise_mixin *&first) {
				promise_mixin **at = &first;

				while (*at && *at != this)
					at = &(*at)->ct_next_;
				if (*at)
					*at = ct_next_;
			});
		ct_listed_ = frame;
		if (frame)
			detail::all_frames.with(frame, [this](promise_mixin *&first) {
				ct_next_ = first;
				std::atomic_signal_fence(std::memory_order_release);
				first = this;
			});
	}

	// Both compilers put the promise right behind two pointers where its alignment allows; the
	// handle that a suspend gets to see corrects it where not.
	const char *ct_frame() const noexcept
	{
		return reinterpret_cast<const char *>(this) - 2 * sizeof(void *);
	}
	// Of a coroutine that was never seen to run; reads within the frame wherever the promise
	// stands in it.
	bool ct_at_end() const noexcept
	{
		return std::coroutine_handle<>::from_address(const_cast<char *>(ct_frame())).done();
	}
	void ct_create_at_site(const here *h) noexcept
	{
		if (ct_enabled()) {
			ct_unnamed_ = !h;
			ct_create_at(
				&ct_probe_, ct_current(), h ? h->site() : 0, ct_frame(), nullptr);
			ct_list(ct_frame());
		}
	}
	ct_coro ct_probe_ = {};
	const void *ct_listed_ = nullptr;
	promise_mixin *ct_next_ = nullptr;	// of those that are listed with it
	enum : unsigned char { fresh, running, suspended, over } ct_state_ = fresh;
	bool ct_unnamed_ = false;
};

// probe_id of a coroutine for wake(), 0 where its promise is not traced. Where its type is not known,
// only inside the await_suspend that was given the handle, else 0.
template <class P> uint64_t id(std::coroutine_handle<P> h) noexcept
{
	if constexpr (std::derived_from<P, promise_mixin>)
		return h ? static_cast<promise_mixin &>(h.promise()).ct_id() : 0;
	detail::leaving now = detail::leaves();
	return now.frame == h.address() ? now.id : 0;
}
// What somebody who awaits this coroutine waits on.
template <class P> on coro(std::coroutine_handle<P> h) noexcept
{
	uint64_t of = id(h);
	return of ? ct_await(of) : ct_nothing();
}

inline void name(promise_mixin &p, const char *text) noexcept
{
	if (p.ct_id())
		ct_name(p.ct_probe(), text);
}
inline void name(promise_mixin &p, const std::string &text) noexcept { name(p, text.c_str()); }
template <std::derived_from<promise_mixin> P, class Text>
void name(std::coroutine_handle<P> h, const Text &text) noexcept
{
	name(static_cast<promise_mixin &>(h.promise()), text);
}

// For an initial or final awaiter that promises of several types share, traced or not: as the
// promise's own started() and ended().
template <class P> void started(std::coroutine_handle<P> h) noexcept
{
	if constexpr (std::derived_from<P, promise_mixin>)
		h.promise().started();
}
template <class P> void ended(std::coroutine_handle<P> h) noexcept
{
	if constexpr (std::derived_from<P, promise_mixin>)
		h.promise().ended();
}

// By the waker, before it makes the coroutine runnable. Takes an id, for the coroutine may be gone
// already.
inline void wake(uint64_t id, on what = ct_nothing(), here h = here::current()) noexcept
{
	if (ct_enabled() && id)
		ct_wake_at(id, h.site(), what);
}
// By one who kept but a handle, without its type: the frame's address is looked up, and never
// followed. A program that has this anywhere pays for the table at each coroutine's birth and end.
template <class P> void wake(
	std::coroutine_handle<P> who, on what = ct_nothing(), here h = here::current()) noexcept
{
	uint64_t of = 0;

	if (!ct_enabled())
		return;
	if constexpr (std::derived_from<P, promise_mixin>)
		of = id(who);
	else if ((void)&detail::wants_frames<P>::yes, who)
		of = promise_mixin::ct_listed_at(who.address());
	wake(of, what, h);
}

// As the calls of ct.h, with the caller's place: in a scheduler's helper, pass its caller's on as h.
inline void open(on what, const char *name, here h = here::current()) noexcept
{
	if (ct_enabled())
		ct_open_at(what, name, h.site());
}
inline void close(on what, here h = here::current()) noexcept
{
	if (ct_enabled())
		ct_close_at(what, h.site());
}
inline void notify(on what, uint64_t woken, here h = here::current()) noexcept
{
	if (ct_enabled())
		ct_notify_at(what, woken, h.site());
}
// In an await_suspend, by who suspends there: it does not run any more.
inline void acquire(on what, here h = here::current()) noexcept
{
	if (ct_enabled() && !ct_current() && suspending())
		ct_acquire_for_at(suspending(), what, h.site());
	else if (ct_enabled())
		ct_acquire_at(what, h.site());
}
inline void release(on what, here h = here::current()) noexcept
{
	if (ct_enabled() && !ct_current() && suspending())
		ct_release_for_at(suspending(), what, h.site());
	else if (ct_enabled())
		ct_release_at(what, h.site());
}
// For another than who runs: an unlock that hands the lock over, a helper that returns its guard.
inline void acquire_for(uint64_t id, on what, here h = here::current()) noexcept
{
	if (ct_enabled())
		ct_acquire_for_at(id, what, h.site());
}
inline void release_for(uint64_t id, on what, here h = here::current()) noexcept
{
	if (ct_enabled())
		ct_release_for_at(id, what, h.site());
}
// Taken from a run queue, and not run; its timer ends at another time, CT_NEVER: at none.
inline void dequeue(uint64_t id, here h = here::current()) noexcept
{
	if (ct_enabled())
		ct_dequeue_at(id, h.site());
}
inline void deadline(uint64_t id, uint64_t deadline_ns, here h = here::current()) noexcept
{
	if (ct_enabled())
		ct_deadline_at(id, deadline_ns, h.site());
}

namespace detail {

template <class T> concept says_on = requires(const T &t) {
	{ t.waits_on() } -> std::convertible_to<on>;
};
template <class T> concept says_several = requires(const T &t) {
	{ t.waits_on() } -> std::convertible_to<several>;
};
template <class T> concept says = says_on<T> || says_several<T>;
template <class T> concept coroutine = requires { typename T::promise_type; } &&
	std::derived_from<typename T::promise_type, promise_mixin>;

// Only what is a coroutine's own return object is looked into: a handle found in any other awaiter
// may as well be that of whoever waited there last.
template <class T> auto awaited(const T &t)
{
	if constexpr (says_on<T>)
		return on(t.waits_on());
	else if constexpr (says_several<T>)
		return t.waits_on();
	else if constexpr (!coroutine<T>)
		return ct_nothing();
	else if constexpr (requires { ct::id(t.handle); })
		return coro(t.handle);
	else if constexpr (requires { ct::id(t.coro); })
		return coro(t.coro);
	else if constexpr (requires { ct::id(t.coroutine); })
		return coro(t.coroutine);
	else if constexpr (requires { ct::id(t.h); })
		return coro(t.h);
	else
		return ct_nothing();
}

} // namespace detail

// What waits_on() returns of those that are written there: things, legs, and what says itself by a
// waits_on() or a public handle what it waits for, as the children of a when_all.
template <size_t N> struct legs_of {
	leg legs[N];
	bool all;
	operator several() const noexcept { return { legs, N, all }; }
};
namespace detail {
inline leg as_leg(const on &what) noexcept { return { what, nullptr, 0 }; }
inline leg as_leg(const leg &l) noexcept { return l; }
template <class T> requires(says_on<T> || coroutine<T>) leg as_leg(const T &t) noexcept
{
	return { awaited(t), nullptr, 0 };
}
}
template <class... T> requires requires(const T &...what) { (detail::as_leg(what), ...); }
legs_of<sizeof...(T)> any_of(const T &...what) noexcept
{
	return { { detail::as_leg(what)... }, false };
}
template <class... T> requires requires(const T &...what) { (detail::as_leg(what), ...); }
legs_of<sizeof...(T)> all_of(const T &...what) noexcept
{
	return { { detail::as_leg(what)... }, true };
}

namespace detail {

template <class A> decltype(auto) awaiter_of(A &&a)
{
	if constexpr (requires { std::forward<A>(a).operator co_await(); })
		return std::forward<A>(a).operator co_await();
	else if constexpr (requires { operator co_await(std::forward<A>(a)); })
		return operator co_await(std::forward<A>(a));
	else
		return std::forward<A>(a);
}

}

// For traced() where an await_transform of your own makes an awaiter that cannot be moved: it is made
// in its place, by what make returns. What it waits for says said_by, where that has a waits_on() and
// the awaiter has none.
struct unsaid {};
template <class F, class Of = unsaid> struct awaiter_from {
	F make;
	const Of *said_by = nullptr;
	explicit awaiter_from(F f) : make(std::move(f)) {}
	awaiter_from(F f, const Of &by) : make(std::move(f)), said_by(&by) {}
	auto waits_on() const requires detail::says<Of> { return said_by->waits_on(); }
	decltype(auto) operator co_await() &&
	{
		if constexpr (requires { make().await_ready(); })
			return make();
		else
			return detail::awaiter_of(make());
	}
};

namespace detail {

// Holds what traced() was given by value; a reference needs no holding.
template <class A> struct kept {
	A value;
	explicit kept(A &&a) : value(std::move(a)) {}
	A &&get(A &&) { return std::move(value); }
	const A &look(const A &) const { return value; }
};
template <class A> requires std::is_reference_v<A> struct kept<A> {
	explicit kept(A &&) {}
	A &&get(A &&a) { return static_cast<A &&>(a); }
	const std::remove_reference_t<A> &look(const std::remove_reference_t<A> &a) const
	{
		return a;
	}
};
struct nothing {};
// What is asked of T before its operator co_await, if that is to be asked.
template <bool ask, class T> auto said_before()
{
	if constexpr (ask)
		return decltype(awaited(std::declval<const T &>())){};
	else
		return nothing{};
}

// For an await_suspend that names the type of its handle, a base class of the promise.
template <class P> struct base_handle {
	std::coroutine_handle<P> h;

	template <class B> requires std::derived_from<P, B>
	operator std::coroutine_handle<B>() const noexcept
	{
		return std::coroutine_handle<B>::from_address(h.address());
	}
};
template <class I, class H> concept suspends = requires(I &i, H h) { i.await_suspend(h); };
template <class I, class P> auto handle_for(std::coroutine_handle<P> h) noexcept
{
	if constexpr (suspends<I, std::coroutine_handle<P>>)
		return h;
	else
		return base_handle<P>{ h };
}
template <class I, class P> concept suspends_as =
	suspends<I, std::coroutine_handle<P>> || suspends<I, base_handle<P>>;

// By what its await_suspend returned it goes on at once.
inline bool stays(bool suspends, const void *) noexcept { return !suspends; }
inline bool stays(std::coroutine_handle<> next, const void *frame) noexcept
{
	return next.address() == frame;
}

// The awaiter around the awaiter. A is T & or T && (referred to) or T (moved in).
template <class A> class awaiting : kept<A> {
	using inner_type = decltype(awaiter_of(std::declval<A>()));
	using outer_type = std::remove_cvref_t<A>;
	static constexpr bool asks_inner = says<std::remove_cvref_t<inner_type>>;
	static constexpr bool asks_outer =
		!asks_inner && (says<outer_type> || coroutine<outer_type>);

	promise_mixin &promise_;
	// not set where the promise is not traced: an await then stores nothing but two pointers
	here at_;
	[[no_unique_address]] decltype(said_before<asks_outer, outer_type>()) what_;
	inner_type inner_;

	// Before operator co_await, which may move the handle out.
	promise_mixin &begin(promise_mixin &promise,
		[[maybe_unused]] const std::remove_reference_t<A> &a, const here &at)
	{
		if constexpr (asks_outer)
			what_ = {};
		if (promise.ct_known()) {
			at_ = at;
			promise.ct_runs();
			if constexpr (asks_outer)
				what_ = awaited(a);
		}
		return promise;
	}
	auto what() const
	{
		if constexpr (asks_inner)
			return awaited(inner_);
		else if constexpr (asks_outer)
			return what_;
		else
			return ct_nothing();
	}
	void stayed(uint64_t within)
	{
		if (within)
			begins(promise_.ct_id(), within);
	}
	void back()
	{
		if (promise_.ct_state_ == promise_mixin::suspended)
			promise_.started();
	}
	template <class H> auto suspended(H h, leaving outer, uint64_t within)
	{
		if constexpr (std::is_void_v<decltype(inner_.await_suspend(h))>) {
			inner_.await_suspend(h);
			leaves(outer);
			goes_on(within);
		} else {
			auto next = inner_.await_suspend(h);

			if (stays(next, leaves(outer).frame))
				stayed(within);
			else
				goes_on(within);
			return next;
		}
	}

public:
  awaiting(promise_mixin &promise, A &&a, const here &at)
      : kept<A>(std::forward<A>(a)), promise_(begin(promise, this->look(a), at)),
	inner_(awaiter_of(this->get(std::forward<A>(a))))
  {
	}
	awaiting(const awaiting &) = delete;

	bool await_ready() { return bool(inner_.await_ready()); }

	// Reported before the inner call: from then on anybody may resume or destroy us, so nothing
	// is touched after it but what is the thread's.
	template <class P> requires suspends_as<std::remove_reference_t<inner_type>, P>
	auto await_suspend(std::coroutine_handle<P> h)
	{
		auto inner_h = handle_for<std::remove_reference_t<inner_type>>(h);
		uint64_t id = promise_.ct_id();

		if (!id)
			return inner_.await_suspend(inner_h);

		uint64_t within = promise_.ct_suspending(at_, what(), h.address());
		leaving outer = leaves({ h.address(), id });
#if defined __cpp_exceptions
		if constexpr (!noexcept(inner_.await_suspend(inner_h))) {
			try {
				return suspended(inner_h, outer, within);
			} catch (...) {		// it never left
				leaves(outer);
				stayed(within);
				back();
				throw;
			}
		} else
#endif
		return suspended(inner_h, outer, within);
	}
	// Also where await_suspend said false, or resumed us on the spot.
	decltype(auto) await_resume()
	{
		back();
		return inner_.await_resume();
	}
};

} // namespace detail
} // namespace ct

#pragma pop_macro("emit")
#pragma pop_macro("signals")
#pragma pop_macro("slots")
#endif
