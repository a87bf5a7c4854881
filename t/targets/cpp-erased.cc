// cpp-erased.cc - a library as others write them: its promises share a base class and one awaiter for their end, its event
// keeps handles without a type, and its awaiters name the handle they want.
#include <cstdlib>
#include <deque>
#include <tuple>
#include "corotrace.hpp"

struct event {
	struct waiter { std::coroutine_handle<> h; uint64_t id; };
	std::deque<waiter> waiting;

	void add(std::coroutine_handle<> h)
	{
		waiting.push_back({ h, ct::suspending() });
		if (ct::id(h) != ct::suspending())
			abort();
	}
	void fire(bool by_handle)
	{
		while (!waiting.empty()) {
			waiter w = waiting.front();

			waiting.pop_front();
			if (by_handle)
				ct::wake(w.h, ct_cond(this));	// @by-handle
			else
				ct::wake(w.id, ct_cond(this));	// @by-id
			w.h.resume();
		}
	}
};

struct shared {
	std::coroutine_handle<> next = std::noop_coroutine();
};
struct at_end {
	bool await_ready() noexcept { return false; }
	template <class P> std::coroutine_handle<> await_suspend(std::coroutine_handle<P> h) noexcept
	{
		ct::ended(h);
		return h.promise().next;
	}
	void await_resume() noexcept {}
};
template <class Mixin> struct job {
	struct promise_type : shared, Mixin {
		job get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		at_end final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;

	job(std::coroutine_handle<promise_type> h) : handle(h) {}
	job(job &&from) : handle(std::exchange(from.handle, {})) {}
	~job()
	{
		if (handle)
			handle.destroy();
	}
};
struct own_transform : ct::promise_mixin {
	template <class A> auto await_transform(A &&a, ct::here h = ct::here::current())
	{
		return traced(std::forward<A>(a), h);
	}
};
struct untraced {};

struct wait {
	event &e;
	ct_on waits_on() const { return ct_cond(&e); }
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) { e.add(h); }
	void await_resume() {}
};
// The handle of a base class, by an awaiter that can be neither copied nor moved.
struct wait_as_base : wait {
	wait_as_base(event &e) : wait{ e } {}
	wait_as_base(const wait_as_base &) = delete;
	void await_suspend(std::coroutine_handle<shared> h)
	{
		e.add(std::coroutine_handle<>::from_address(h.address()));
	}
};
// It resumes others before it has suspended.
struct wait_and_fire : wait {
	event &other;
	bool await_suspend(std::coroutine_handle<> h)
	{
		uint64_t me = ct::suspending();

		other.fire(true);
		if (ct::suspending() != me || ct::id(h) != me)
			abort();
		return false;
	}
};
template <class... T> struct when_all {
	std::tuple<T &...> of;
	auto waits_on() const { return std::apply([](auto &...t) { return ct::all_of(t...); }, of); }
	bool await_ready() { return false; }
	bool await_suspend(std::coroutine_handle<>) { return false; }
	void await_resume() {}
};

// What is asked of an awaiter may be asked of a traced one: is there an await_suspend for a handle without type?
template <class A> concept for_any = requires(A a, std::coroutine_handle<> h) { a.await_suspend(h); };
using traced_wait = decltype(std::declval<own_transform &>().await_transform(std::declval<wait>()));
using traced_as_base = decltype(std::declval<own_transform &>().await_transform(std::declval<wait_as_base>()));
static_assert(for_any<traced_wait> && !for_any<traced_as_base>);

static job<ct::promise_mixin> one(event &e)
{
	co_await wait{ e };				// @one
	co_await wait_as_base{ e };			// @base
}
static job<own_transform> two(event &e, event &other)
{
	co_await wait{ e };				// @two
	co_await wait_as_base{ e };			// @moved
	co_await wait_and_fire{ { e }, other };		// @nested
}
static job<untraced> three(event &e)
{
	co_await wait{ e };
	co_await wait{ e };
}
static job<ct::promise_mixin> all(job<ct::promise_mixin> &a, job<own_transform> &b, event &e)
{
	wait w{ e };

	co_await when_all<job<ct::promise_mixin>, job<own_transform>, wait>{ { a, b, w } };	// @all
}

// Lazy, and first woken by who has but the handle.
struct later {
	struct promise_type : shared, ct::promise_mixin {
		later get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<> handle;
};
static later lazy() { co_return; }

int main()
{
	event e, other;
	auto a = one(e);
	auto b = two(e, other);
	auto c = three(e);
	auto d = one(other);
	auto f = all(a, b, other);

	e.fire(false);
	e.fire(true);
	other.fire(true);
	if (ct::suspending())
		abort();

	later g = lazy();
	ct::wake(g.handle);				// @later
	g.handle.resume();
	g.handle.destroy();
}
