// cc-dead-awaitee-throw.cc - a task that throws does not get to the line that wakes who joins it.
// expect: dead-awaitee 2
#include "zoo.hpp"

static line joiners;
static event go;
static root *child;
static task<> throws()
{
	co_await go.wait();
	throw 1;
	guard_z g(Z);
	wake_all(joiners);
}
static task<> joins() { co_await wait_in(joiners, ct_join(child->id()), always); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	child = spawn(throws(), "throws");
	spawn(joins(), "joins");
	spawn(joins(), "joins");
	p.settle();
	go.set();
	p.settle();
}
