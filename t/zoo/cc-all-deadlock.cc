// cc-all-deadlock.cc - a parent waits for both of its children to end and has the lock that one of them wants.
// expect: deadlock 1
#include "zoo.hpp"

static mutex m;
static event started;
static task<> stores()
{
	co_await started.wait();
	auto g = co_await m.lock();
}
static task<> computes() { co_return; }
static task<> both()
{
	root *child[] = { spawn(stores(), "stores"), spawn(computes(), "computes") };
	auto lives = [child](int i) { return !child[i]->done(); };
	auto g = co_await m.lock();

	started.set();
	co_await wait_in_two(true, child[0]->t.handle.promise().joiners, ct_join(child[0]->id()),
		child[1]->t.handle.promise().joiners, ct_join(child[1]->id()), lives);
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(both(), "both");
	p.settle();
}
