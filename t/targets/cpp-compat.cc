// cpp-compat.cc - code as it was written for coroTracer's C++ header; must compile unchanged and be traced.
#include "coroTracer.h"

#include <coroutine>

struct Task {
	struct promise_type : public corotracer::PromiseMixin {
		Task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
};

struct ByHand {
	struct promise_type : public corotracer::PromiseMixin {
		ByHand get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always await_transform(std::suspend_always a)
		{
			write_trace(reinterpret_cast<uint64_t>(h().address()), false); // @by-hand
			return a;
		}
		std::coroutine_handle<> h() { return std::coroutine_handle<promise_type>::from_promise(*this); }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
};

struct ItsOwn {
	struct promise_type : public corotracer::PromiseMixin {
		ItsOwn get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		auto await_transform(std::suspend_always &a)
		{
			return corotracer::TracedAwaiter<std::suspend_always &>{ a, this }; // @its-own
		}
		auto await_transform(std::suspend_never a)
		{
			return corotracer::TracedAwaiter<std::suspend_never>{ std::move(a), this };
		}
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
};

Task old()
{
	co_await std::suspend_always{}; // @old
}

ByHand by_hand()
{
	co_await std::suspend_always{};
}

ItsOwn its_own()
{
	std::suspend_always kept;

	co_await kept;
	co_await std::suspend_never{};
	if (std::strlen("") != 0)		// of its headers
		std::cerr << "?";
}

int main()
{
	corotracer::InitTracer();
	Task t = old(), stays = old();
	ByHand b = by_hand();

	t.h.resume();
	t.h.resume();
	t.h.destroy();
	stays.h.resume();
	stays.h.destroy();
	b.h.resume();
	b.h.promise().write_trace(0, true);
	b.h.resume();
	b.h.destroy();

	ItsOwn o = its_own();
	std::thread([&] { o.h.resume(); }).join();
	o.h.resume();
	o.h.destroy();
	return 0;
}
