// cpp-await.cc - awaits of every shape; t/cpp.t compares what the trace tells of them with the lines marked "@" here.
// Prints nothing: it checks by itself that the program does what it does without a probe.
#include "corotrace.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#define CHECK(what) do { if (!(what)) { __builtin_printf("%s:%d: %s\n", __FILE__, __LINE__, #what); exit(1); } } while (0)

// Lazy; who awaits it is resumed by symmetric transfer. Its own final_suspend says ended().
struct task {
	struct promise_type : ct::promise_mixin {
		std::coroutine_handle<> next = std::noop_coroutine();
		std::string value;
		std::exception_ptr error;

		task get_return_object() { return task(std::coroutine_handle<promise_type>::from_promise(*this)); }
		struct finish {
			bool await_ready() noexcept { return false; }
			auto await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().next; }
			void await_resume() noexcept {}
		};
		finish final_suspend() noexcept
		{
			ended();
			return {};
		}
		void return_value(std::string s) { value = std::move(s); }
		void unhandled_exception() { error = std::current_exception(); }
	};

	std::coroutine_handle<promise_type> handle;

	explicit task(std::coroutine_handle<promise_type> h) : handle(h) {}
	task(task &&o) noexcept : handle(std::exchange(o.handle, {})) {}
	~task() { if (handle) handle.destroy(); }

	struct awaiter;
	awaiter operator co_await() &&;
};

struct task::awaiter {
	task child;		// moved out of what was awaited
	bool await_ready() { return false; }
	auto await_suspend(std::coroutine_handle<> h)
	{
		child.handle.promise().next = h;
		return child.handle;
	}
	std::string await_resume()
	{
		if (child.handle.promise().error)
			std::rethrow_exception(child.handle.promise().error);
		return child.handle.promise().value;
	}
};
task::awaiter task::operator co_await() && { return { std::move(*this) }; }

// Waits until main goes on. Cannot be moved: the trace must not move what the program may not.
std::coroutine_handle<> pending;
uint64_t pending_id;

struct readable {
	int fd;
	explicit readable(int fd) : fd(fd) {}
	readable(readable &&) = delete;
	ct_on waits_on() const { return ct_fd(fd); }
	bool await_ready() { return false; }
	template <class P> void await_suspend(std::coroutine_handle<P> h)
	{
		pending = h;
		pending_id = ct::id(h);
	}
	int await_resume() { return fd; }
};

void go_on(int fd)
{
	ct::wake(pending_id, ct_fd(fd)); // @woken
	pending.resume();
}

// The shapes of await_suspend: bool, a handle, an exception; and what is ready does not suspend.
struct always { bool say; bool await_ready() { return false; } bool await_suspend(std::coroutine_handle<> h) { if (say) pending = h; return say; } int await_resume() { return 7; } };
struct itself { bool await_ready() { return false; } auto await_suspend(std::coroutine_handle<> h) { return h; } void await_resume() {} };
struct refuses { bool await_ready() { return false; } void await_suspend(std::coroutine_handle<>) { throw std::runtime_error("no"); } void await_resume() {} };
struct ready { bool await_ready() { return true; } void await_suspend(std::coroutine_handle<>) { abort(); } std::string &&await_resume() { return std::move(text); } std::string text; explicit ready(const char *s) : text(s) {} };
// Awaited through a free operator, as an lvalue and as an rvalue.
struct ticket { int n; };
always operator co_await(const ticket &) { return { false }; }
// Says what it waits for, but what is made of it does not; and takes and gives back what is somebody's who suspends.
struct lock { ct_on waits_on() const { return ct_fd(13); } };
struct takes { const lock *l; bool await_ready() { return false; } bool await_suspend(std::coroutine_handle<>) { ct::acquire(l->waits_on()); ct::release(l->waits_on()); return false; } void await_resume() {} };
struct counted { int *alive; explicit counted(int *n) : alive(n) { ++*n; } ~counted() { --*alive; } bool await_ready() { return false; } bool await_suspend(std::coroutine_handle<>) { return *alive != 1; } void await_resume() {} };

task leaf(int fd)
{
	int got = co_await readable(fd); // @leaf-1
	readable again(fd + 1);
	got += co_await again; // @leaf-2
	co_return std::to_string(got);
}

task parent()
{
	std::string s = co_await leaf(10); // @parent
	CHECK(s == "21");
	co_return s + "!";
}

task shapes()
{
	int alive = 0;

	CHECK(co_await always{ false } == 7); // @bool-false
	co_await always{ true }; // @bool-true
	co_await itself{}; // @handle
	std::string s = co_await ready("quiet");
	CHECK(s == "quiet");
	try {
		co_await refuses{}; // @throws
		CHECK(!"reached");
	} catch (const std::runtime_error &) {
	}
	ticket t{ 1 };
	co_await t; // @lvalue
	co_await ticket{ 2 }; // @rvalue
	co_await counted(&alive); // @temporary
	CHECK(alive == 0);
	int sum = 1 +
		co_await always{ false }; // @second
	CHECK(sum == 8);
	auto inside = [](int fd) -> task {
		co_await readable(fd); // @lambda
		co_return "";
	};
	co_await inside(5); // @lambda-parent
	co_return "";
}

task failing()
{
	co_await always{ false }; // @failing
	throw std::runtime_error("why");
}

task catching()
{
	try {
		co_await failing(); // @catching
	} catch (const std::runtime_error &e) {
		co_return e.what();
	}
	co_return "";
}

// What an await_transform makes an awaiter of.
struct opened { int fd; };

// All of its own: eager, its own await_transform and yields, freed at its end by itself or by whoever holds it.
template <class Final> struct eager {
	struct promise_type : ct::promise_mixin {
		int value = 0;

		promise_type(ct::here h = ct::here::current()) : ct::promise_mixin(h) {}
		eager get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		Final final_suspend() noexcept { return {}; }
		auto await_transform(int fd, ct::here h = ct::here::current()) { return traced(always{ fd == 0 }, h); }
		auto await_transform(task t, ct::here h = ct::here::current()) { return traced(std::move(t), h); }
		auto await_transform(opened o, ct::here h = ct::here::current())
		{
			return traced(ct::awaiter_from([o] { return readable(o.fd); }), h);
		}
		auto await_transform(const ticket *t, ct::here h = ct::here::current())
		{
			return traced(ct::awaiter_from([t]() -> const ticket & { return *t; }), h);
		}
		auto await_transform(const lock *l, ct::here h = ct::here::current())
		{
			return traced(ct::awaiter_from([l] { return takes{ l }; }, *l), h);
		}
		auto yield_value(int v, ct::here h = ct::here::current())
		{
			value = v;
			return traced(std::suspend_always{}, h);
		}
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	std::coroutine_handle<promise_type> h;
};

eager<std::suspend_always> held(bool wait)
{
	if (wait)
		co_await 0; // @own-transform
	for (int i = 1; wait && i <= 2; i++)
		co_yield i; // @yield
}

eager<std::suspend_never> made_in_place()
{
	int got = co_await opened{ 12 }; // @made
	CHECK(got == 12);
	ticket t{ 1 };
	co_await &t; // @made-of
	lock l;
	co_await &l; // @made-said
}

eager<std::suspend_never> fire_and_forget()
{
	co_await 1; // @forgotten
}

task quick()
{
	co_await always{ false }; // @quick
	co_return "quick";
}

eager<std::suspend_never> by_value()
{
	std::string said = co_await quick(); // @by-value
	CHECK(said == "quick");		// on a line of its own: GCC 12 miscompiles a co_await within a condition
}

// Its handle is its own business, so it says itself what awaiting it means; runs its coroutine to the end on the spot.
class sealed {
public:
	struct promise_type : ct::promise_mixin {
		sealed get_return_object() { return sealed(std::coroutine_handle<promise_type>::from_promise(*this)); }
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	sealed(sealed &&other) : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
	~sealed()
	{
		if (coroutine_)
			coroutine_.destroy();
	}
	ct_on waits_on() const { return ct::coro(coroutine_); }
	bool await_ready() { return false; }
	bool await_suspend(std::coroutine_handle<>)
	{
		coroutine_.resume();
		return false;
	}
	void await_resume() {}
private:
	explicit sealed(std::coroutine_handle<promise_type> h) : coroutine_(h) {}
	std::coroutine_handle<promise_type> coroutine_;
};

sealed sealed_job()
{
	co_return;
}

task awaits_sealed()
{
	co_await sealed_job(); // @sealed
	co_return "";
}

// For several: of as many as stand there, with a place each or without; of as many as a vector has; said before its
// operator co_await, by what is awaited.
struct first_of : always {
	first_of() : always{ false } {}
	auto waits_on() const { return ct::any_of(ct::leg_of(ct_fd(6)), ct_fd(7)); } // @leg
};
struct every : always {
	std::vector<ct::leg> legs;
	explicit every(int n) : always{ false }
	{
		for (int i = 0; i < n; i++)
			legs.push_back(ct::leg_of(ct_fd(i))); // @every
	}
	ct::several waits_on() const { return ct::all_of(legs.data(), legs.size()); }
};
struct both_ways {
	auto waits_on() const { return ct::all_of(ct_fd(8), ct_fd(9)); }
	always operator co_await() const { return { false }; }
};

task for_several()
{
	co_await first_of(); // @any
	co_await every(3); // @all
	co_await both_ways(); // @before
	co_await every(0); // @none
	co_return "";
}

int main()
{
	{
		task t = parent();
		ct::name(t.handle, "the parent");
		t.handle.resume();
		go_on(10);
		go_on(11);
		CHECK(t.handle.done() && t.handle.promise().value == "21!");
	}
	{
		task t = shapes();
		t.handle.resume();
		pending.resume();
		go_on(5);
		CHECK(t.handle.done());
	}
	{
		task t = catching();
		t.handle.resume();
		CHECK(t.handle.done() && t.handle.promise().value == "why");
	}
	{
		task never_run = leaf(20), cancelled = leaf(30);
		cancelled.handle.resume();
	}
	auto waits = held(true);
	pending.resume();
	CHECK(waits.h.promise().value == 1);
	waits.h.resume();
	CHECK(waits.h.promise().value == 2);
	waits.h.resume();
	CHECK(waits.h.done());
	waits.h.destroy();
	auto straight = held(false);
	CHECK(straight.h.done());
	straight.h.destroy();
	fire_and_forget();
	by_value();
	task t = awaits_sealed();
	t.handle.resume();
	task s = for_several();
	s.handle.resume();
	CHECK(s.handle.done());
	made_in_place();
	go_on(12);
	return 0;
}
