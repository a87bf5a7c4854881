// awaiter.hpp - asio's awaiters and promises, with ours around them; a part of ct_asio.hpp.
namespace ct::inline CT_EDITION::aio {

// What an initiation is, by its name. In asio's coroutines it is a parameter, else a part of the awaiter's
// type: of a type that is local to a function Clang's name says nothing more.
template <class T> constexpr bool posts() noexcept	// what is queued runs never while it does
{
	constexpr std::string_view of = __PRETTY_FUNCTION__;
	constexpr bool found = of.find("initiate_post") != of.npos ||
		of.find("initiate_defer") != of.npos || of.find("initiate_dispatch") != of.npos;

	return found;
}
template <class T> constexpr bool began_before() noexcept
{
	constexpr std::string_view of = __PRETTY_FUNCTION__;
	constexpr bool found = of.find("experimental::promise<") != of.npos &&
		of.find("initiate_async_wait") != of.npos;

	return found;
}

// An operation, or what is ready at once (this_coro::executor).
template <class F, class Inner> struct op_awaiter {
	F &promise;
	here at;
	Inner inner;
	void (*start)(void *) = nullptr;	// newer asio starts it when the frame is left
	void *start_with = nullptr;

	bool await_ready() { return inner.await_ready(); }
	__attribute__((noinline)) void await_suspend(std::coroutine_handle<F> h)
	{
		frame_part *who = promise.user();

		// what a frame of asio's waits for is the business of its user's line
		if (who == &promise)
			promise.leaves_at(at, h.address());
		if constexpr (F::starts_later()) {
			inner.await_suspend(h);
			promise.put_before_start(*this);
		} else {
			Inner started = std::move(inner);
			initiating here_and_now(who, promise.posting || posts<Inner>(),
				promise.begun || began_before<Inner>());

			started.await_suspend(h);
		}
	}
	static void begin(void *arg)
	{
		auto *self = static_cast<op_awaiter *>(arg);
		initiating here_and_now(self->promise.user(),
			self->promise.posting || posts<Inner>(),
			self->promise.begun || began_before<Inner>());

		if (self->start)
			self->start(self->start_with);
	}
	decltype(auto) await_resume()
	{
		if (frame_part *who = promise.user())
			who->came_back();
		return inner.await_resume();
	}
};

// Another coroutine: one of the program's, which is what is waited for, or one of asio's own.
template <class F, class A> struct child_awaiter {
	F &promise;
	here at;
	A child;
	frame_part *of;

	bool await_ready() { return child.await_ready(); }
	void await_suspend(std::coroutine_handle<F> h)
	{
		frame_part *who = promise.user();

		if (who == &promise)
			promise.leaves_at(at, h.address());
		if (of->inner())
			of->works_for(who);
		else if (who && who->is_known())
			who->waits_for(ct_await(of->ct_id()));
		child.await_suspend(
			std::coroutine_handle<typename F::base>::from_address(h.address()));
	}
	decltype(auto) await_resume()
	{
		frame_part *who = promise.user();

		if (who && of->inner())
			who->came_back();
		else if (who)
			who->child_came_back();
		return child.await_resume();
	}
};

template <class E> concept any = true;

template <class Base, class Peek> struct frame : Base, frame_part {
	using base = Base;

	struct begins {
		frame_part *part;
		bool await_ready() const noexcept { return false; }
		void await_suspend(std::coroutine_handle<>) const noexcept {}
		void await_resume() const noexcept
		{
			if (!part->inner())
				part->started();
		}
	};

	const bool posting = false, begun = false;

	template <class A> static constexpr bool spawns()	// newer asio has it in a struct
	{
		return requires(A & a) { Peek::in(a); } ||
			requires(A & a) { Peek::in(a.function); };
	}
	template <class A> static void spawn(A &a)
	{
		if constexpr (requires { Peek::in(a); })
			spawned(Peek::in(a));
		else if constexpr (requires { Peek::in(a.function); })
			spawned(Peek::in(a.function));
	}

	frame(here h = here::current()) : frame_part(h) {}
	// asio's own, around one initiation.
	template <class I, class... A> requires(posts<I>() || began_before<I>())
	frame(I &, A &...)
	    : frame_part(here{ "", "asio/impl/", 0 }), posting(posts<I>()), begun(began_before<I>())
	{
	}
	// asio's own, that co_spawn() hands to an executor: what it is to begin is among its parameters.
	template <class W, class... A> requires(spawns<A>() || ...)
	frame(W *&, A &...a) : frame_part(here{ "", "asio/impl/", 0 })
	{
		if (ct_enabled())
			(spawn(a), ...);
	}
	auto initial_suspend(here h = here::current()) noexcept
	{
		frame_part::initial_suspend(h);
		return begins{ this };
	}
	auto final_suspend() noexcept
	{
		if (!inner())
			ended();
		return Base::final_suspend();
	}
	template <class A> auto await_transform(A &&a, here h = here::current())
	{
		if constexpr (requires { Peek::of(a); }) {
			using child = decltype(Base::await_transform(std::forward<A>(a)));
			frame_part *of = Peek::of(a);

			return child_awaiter<frame, child>{ *this, h,
				Base::await_transform(std::forward<A>(a)), of };
		} else {
			using inner = decltype(Base::await_transform(std::forward<A>(a)));

			return op_awaiter<frame, inner>{ *this, h,
				Base::await_transform(std::forward<A>(a)) };
		}
	}
	static constexpr bool starts_later()
	{
		return requires(frame & f) { f.after_suspend(nullptr, nullptr); };
	}
	template <class Op> void put_before_start(Op &op) noexcept
	{
		op.start = std::exchange(this->resume_context_->after_suspend_fn_, Op::begin);
		op.start_with = std::exchange(this->resume_context_->after_suspend_arg_, &op);
	}
};

struct key {};
template <class Traits> struct watched_time : Traits {};

} // namespace ct::aio
