// cc-dead-owner-throw.cc - an exception leaves a task between lock and unlock.
// expect: dead-owner 1
#include "zoo.hpp"

static mutex m;
static event go;
static task<> fails()
{
	if (!m.try_lock())
		abort();
	co_await go.wait();
	throw 1;
	m.unlock();
}
static task<> waits() { auto g = co_await m.lock(); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(fails(), "fails");
	p.settle();
	spawn(waits(), "waits");
	spawn(waits(), "waits");
	p.settle();
	go.set();
	p.settle();
}
