// cc-dead-awaitee-shared.cc - two await one lazy task, which has room for one of them: the second takes the place of the first.
// expect: dead-awaitee 1
#include "zoo.hpp"

static event go;
static task<> shared() { co_await go.wait(); }
struct second_await {
	std::coroutine_handle<task<>::promise_type> of;
	ct_on waits_on() const { return ct::coro(of); }
	bool await_ready() const { return false; }
	void await_suspend(std::coroutine_handle<> h) const
	{
		guard_z g(Z);
		of.promise().awaiter = h;
	}
	void await_resume() const {}
};
static task<> first(task<> &t) { co_await t; }
static task<> second(task<> &t) { co_await second_await{ t.handle }; }

int main(int argc, char **argv)
{
	task<> t = shared();
	pool p(argc, argv);

	spawn(first(t), "first");
	p.settle();
	spawn(second(t), "second");
	p.settle();
	go.set();
	p.settle();
}
