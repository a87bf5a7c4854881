// coroTracer.h - the names of coroTracer's C++ header, so that code written against it compiles and
// is traced in full.
#ifndef CORO_TRACER_H
#define CORO_TRACER_H

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <thread>

#include "corotrace.hpp"

namespace corotracer {

inline void InitTracer() { ct::init(); }

class PromiseMixin : public ct::promise_mixin {
public:
	using ct::promise_mixin::promise_mixin;

	// For code that traces by hand: addr is the frame's address when it suspends, 0 when it
	// resumes.
	void write_trace(uint64_t addr, bool is_active, ct::here h = ct::here::current()) noexcept
	{
		if (is_active)
			started();
		else
			ct_suspending(h, ct_nothing(), reinterpret_cast<void *>(addr));
	}
};

// What an await_transform of the program's own returns.
template <class A> struct TracedAwaiter : ct::detail::awaiting<A> {
	TracedAwaiter(A &&a, PromiseMixin *tracer, ct::here h = ct::here::current())
	    : ct::detail::awaiting<A>(*tracer, std::forward<A>(a), h)
	{
	}
};

} // namespace corotracer

#endif
