// ct_asio.hpp - traces programs of asio, standalone (1.18 onwards) or Boost's (1.74 onwards), whose
// source is left as it is:
//
//	g++ -std=c++20 -include ct_asio.hpp -DASIO_CUSTOM_HANDLER_TRACKING server.cc
//	g++ -std=c++20 -include ct_asio.hpp -DBOOST_ASIO_CUSTOM_HANDLER_TRACKING server.cc
//
// All that is linked and includes asio is built so, for asio's classes differ with that macro.
//
// Each awaitable<> of the program is a coroutine of the trace, with the line of its co_await and what
// the operation waits for: a descriptor, a timer's deadline, a channel's item or room. asio's own
// frames are folded into it. A timer that never expires is somebody's event, and shown as a condition.
// Threads that run handlers are workers. corotrace(3), share/doc/runtimes/asio.md.
#ifndef CT_ASIO_HPP
#define CT_ASIO_HPP

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include "corotrace.hpp"

extern "C" __attribute__((visibility("hidden"))) void *__dso_handle;

#pragma GCC visibility push(default)
#include "ct-asio/thread.hpp"
#include "ct-asio/promise.hpp"
#include "ct-asio/object.hpp"
#include "ct-asio/name.hpp"
#include "ct-asio/pending.hpp"
#include "ct-asio/hooks.hpp"
#include "ct-asio/descriptor.hpp"
#include "ct-asio/level.hpp"
#pragma GCC visibility pop
#include "ct-asio/channel.hpp"
#include "ct-asio/awaiter.hpp"

// ---- asio's templates, of either asio ----

// asio keeps a coroutine's frame secret, but from classes of this name. All awaitables of a program
// have our promises.
#define CT_ASIO_TRAITS(space)                                                                      \
	template <class E> class space::detail::awaitable_frame<::ct::aio::key, E> {               \
	public:                                                                                    \
		template <class T> static ::ct::aio::frame_part *of(                               \
			const space::awaitable<T, E> &a)                                           \
		{                                                                                  \
			using ours = ::ct::aio::frame<space::detail::awaitable_frame<T, E>,        \
				awaitable_frame>;                                                  \
			return static_cast<ours *>(a.frame_);                                      \
		}                                                                                  \
		template <class T> static ::ct::aio::frame_part *in(                               \
			space::detail::awaitable_as_function<T, E> &f)                             \
		{                                                                                  \
			space::awaitable<T, E> a = f();                                            \
			::ct::aio::frame_part *part = of(a);                                       \
                                                                                                   \
			std::destroy_at(&f);            /* it can be had once */                   \
			std::construct_at(&f, std::move(a));                                       \
			return part;                                                               \
		}                                                                                  \
	};                                                                                         \
	template <class T, class E, class... Args> requires ::ct::aio::any<E>                      \
	struct std::coroutine_traits<space::awaitable<T, E>, Args...> {                            \
		using promise_type = ::ct::aio::frame<space::detail::awaitable_frame<T, E>,        \
			space::detail::awaitable_frame<::ct::aio::key, E>>;                        \
	};

// asio reports neither that a timer is cancelled for which nobody ever waited, nor that one is moved.
#define CT_ASIO_TIMES(space, clock)                                                                \
	space::detail::chrono_time_traits<std::chrono::clock,                                      \
		space::wait_traits<std::chrono::clock>>
#define CT_ASIO_TIMERS(space, clock)                                                               \
	template <> class space::detail::deadline_timer_service<CT_ASIO_TIMES(space, clock)>       \
		: public deadline_timer_service<                                                   \
			  ::ct::aio::watched_time<CT_ASIO_TIMES(space, clock)>> {                  \
		using base = deadline_timer_service<                                               \
			::ct::aio::watched_time<CT_ASIO_TIMES(space, clock)>>;                     \
                                                                                                   \
	public:                                                                                    \
		using base::base;                                                                  \
		using typename base::implementation_type;                                          \
		void move_construct(implementation_type &to, implementation_type &from)            \
		{                                                                                  \
			::ct::aio::moves(&from);                                                   \
			base::move_construct(to, from);                                            \
		}                                                                                  \
		void move_assign(implementation_type &to, deadline_timer_service &of,              \
			implementation_type &from)                                                 \
		{                                                                                  \
			::ct::aio::moves(&from);                                                   \
			base::move_assign(to, of, from);                                           \
		}                                                                                  \
		void converting_move_construct(implementation_type &to, deadline_timer_service &,  \
			implementation_type &from)                                                 \
		{                                                                                  \
			move_construct(to, from);                                                  \
		}                                                                                  \
		void converting_move_assign(implementation_type &to, deadline_timer_service &of,   \
			implementation_type &from)                                                 \
		{                                                                                  \
			move_assign(to, of, from);                                                 \
		}                                                                                  \
		template <class Error>                                                             \
		std::size_t cancel(implementation_type &timer, Error &e)                           \
		{                                                                                  \
			if (!timer.might_have_pending_waits)                                       \
				::ct::aio::notified_nobody(&timer);                                \
			return base::cancel(timer, e);                                             \
		}                                                                                  \
		template <class Error>                                                             \
		std::size_t cancel_one(implementation_type &timer, Error &e)                       \
		{                                                                                  \
			if (!timer.might_have_pending_waits)                                       \
				::ct::aio::notified_nobody(&timer);                                \
			return base::cancel_one(timer, e);                                         \
		}                                                                                  \
	};

#define CT_ASIO_CHANNELS(space, mutex)                                                             \
	template <> class space::experimental::detail::channel_service<space::detail::mutex>       \
		: public channel_service<::ct::aio::watched<space::detail::mutex, channel_service>> { \
	public:                                                                                    \
		explicit channel_service(space::execution_context &c)                              \
			: channel_service<::ct::aio::watched<space::detail::mutex,                 \
				space::experimental::detail::channel_service>>(c) {}               \
	};

#define CT_ASIO_CREATION(args) ::ct::aio::creation args
#define CT_ASIO_COMPLETION(args) ::ct::aio::completion tracked_completion args
#define CT_ASIO_BEGIN(args) tracked_completion.invocation_begin args
#define CT_ASIO_OPERATION(args) ::ct::aio::operation args
#define CT_ASIO_REGISTERED(args) ::ct::aio::registered args
#define CT_ASIO_DEREGISTERED(args) ::ct::aio::deregistered args
#define CT_ASIO_IGNORED(args) ::ct::aio::ignored args

// ---- standalone asio, and Boost's: the same, with other names ----
#if defined ASIO_CUSTOM_HANDLER_TRACKING
#undef ASIO_CUSTOM_HANDLER_TRACKING
#define ASIO_CUSTOM_HANDLER_TRACKING <cstddef>	// what it is to define, we do
#define ASIO_INHERIT_TRACKED_HANDLER : public ::ct::aio::tracked
#define ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::ct::aio::tracked
#define ASIO_HANDLER_TRACKING_INIT (void)0
#define ASIO_HANDLER_LOCATION(args) (void)0
#define ASIO_HANDLER_CREATION CT_ASIO_CREATION
#define ASIO_HANDLER_COMPLETION CT_ASIO_COMPLETION
#define ASIO_HANDLER_INVOCATION_BEGIN CT_ASIO_BEGIN
#define ASIO_HANDLER_INVOCATION_END tracked_completion.invocation_end()
#define ASIO_HANDLER_OPERATION CT_ASIO_OPERATION
#define ASIO_HANDLER_REACTOR_REGISTRATION CT_ASIO_REGISTERED
#define ASIO_HANDLER_REACTOR_DEREGISTRATION CT_ASIO_DEREGISTERED
#define ASIO_HANDLER_REACTOR_READ_EVENT 1
#define ASIO_HANDLER_REACTOR_WRITE_EVENT 2
#define ASIO_HANDLER_REACTOR_ERROR_EVENT 4
#define ASIO_HANDLER_REACTOR_EVENTS CT_ASIO_IGNORED
#define ASIO_HANDLER_REACTOR_OPERATION CT_ASIO_IGNORED
#include <asio/detail/config.hpp>
#if !defined ASIO_HAS_CO_AWAIT
#error "asio has no coroutines with this compiler and these options: -std=c++20, for Clang a newer asio"
#endif
#include <asio/detail/chrono_time_traits.hpp>
#include <asio/detail/deadline_timer_service.hpp>
#include <asio/wait_traits.hpp>
CT_ASIO_TIMERS(asio, steady_clock)
CT_ASIO_TIMERS(asio, system_clock)
#include <asio/co_spawn.hpp>
#include <asio/use_awaitable.hpp>
CT_ASIO_TRAITS(asio)
#include <asio/version.hpp>
#if ASIO_VERSION >= 102100	// and not that of another asio, installed beside it
#include <asio/detail/null_mutex.hpp>
#include <asio/experimental/detail/channel_service.hpp>
CT_ASIO_CHANNELS(asio, null_mutex)
CT_ASIO_CHANNELS(asio, mutex)
#endif
#define CT_ASIO_HERE
#endif
#if defined BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#undef BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#define BOOST_ASIO_CUSTOM_HANDLER_TRACKING <cstddef>	// what it is to define, we do
#define BOOST_ASIO_INHERIT_TRACKED_HANDLER : public ::ct::aio::tracked
#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::ct::aio::tracked
#define BOOST_ASIO_HANDLER_TRACKING_INIT (void)0
#define BOOST_ASIO_HANDLER_LOCATION(args) (void)0
#define BOOST_ASIO_HANDLER_CREATION CT_ASIO_CREATION
#define BOOST_ASIO_HANDLER_COMPLETION CT_ASIO_COMPLETION
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN CT_ASIO_BEGIN
#define BOOST_ASIO_HANDLER_INVOCATION_END tracked_completion.invocation_end()
#define BOOST_ASIO_HANDLER_OPERATION CT_ASIO_OPERATION
#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION CT_ASIO_REGISTERED
#define BOOST_ASIO_HANDLER_REACTOR_DEREGISTRATION CT_ASIO_DEREGISTERED
#define BOOST_ASIO_HANDLER_REACTOR_READ_EVENT 1
#define BOOST_ASIO_HANDLER_REACTOR_WRITE_EVENT 2
#define BOOST_ASIO_HANDLER_REACTOR_ERROR_EVENT 4
#define BOOST_ASIO_HANDLER_REACTOR_EVENTS CT_ASIO_IGNORED
#define BOOST_ASIO_HANDLER_REACTOR_OPERATION CT_ASIO_IGNORED
#include <boost/asio/detail/config.hpp>
#if !defined BOOST_ASIO_HAS_CO_AWAIT
#error "asio has no coroutines with this compiler and these options: -std=c++20, for Clang a newer asio"
#endif
#include <boost/asio/detail/chrono_time_traits.hpp>
#include <boost/asio/detail/deadline_timer_service.hpp>
#include <boost/asio/wait_traits.hpp>
CT_ASIO_TIMERS(boost::asio, steady_clock)
CT_ASIO_TIMERS(boost::asio, system_clock)
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
CT_ASIO_TRAITS(boost::asio)
#include <boost/asio/version.hpp>
#if BOOST_ASIO_VERSION >= 102100
#include <boost/asio/detail/null_mutex.hpp>
#include <boost/asio/experimental/detail/channel_service.hpp>
CT_ASIO_CHANNELS(boost::asio, null_mutex)
CT_ASIO_CHANNELS(boost::asio, mutex)
#endif
#define CT_ASIO_HERE
#endif
#if !defined CT_ASIO_HERE
#error "ct_asio.hpp: which asio? -DASIO_CUSTOM_HANDLER_TRACKING or -DBOOST_ASIO_CUSTOM_HANDLER_TRACKING"
#endif

#endif
