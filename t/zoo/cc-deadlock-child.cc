// cc-deadlock-child.cc - a task awaits, with a guard in its hand, another that takes the same lock three calls deeper.
// expect: deadlock 1
#include "zoo.hpp"

static mutex m;
static task<> save() { auto g = co_await m.lock(); }
static task<> flush() { co_await save(); }
static task<> update()
{
	auto g = co_await m.lock();
	co_await flush();
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(update(), "update");
	p.settle();
	spawn(save(), "bystander");
	p.settle();
}
