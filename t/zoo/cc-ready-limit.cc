// cc-ready-limit.cc - a lock with a time limit is given back by a path that knows of no waiters.
// expect: ready-resource 1
#include "zoo.hpp"

static mutex m;
static task<> tries()
{
	uint64_t limit = now() + 3600000000000;

	while (!m.try_lock())
		co_await wait_in_two(false, m.waiting, ct_mutex(&m), sleepers, ct_timer(limit), [](int i) { return i || m.held; });
	m.unlock();
}
static event enough;
static task<> holds()
{
	m.try_lock();
	co_await enough.wait();
	guard_z z(Z);
	m.held = false;
	ct_release(ct_mutex(&m));
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(tries(), "has it for a while");
	p.settle();
	spawn(holds(), "holds");
	p.settle();
	spawn(tries(), "tries");
	p.settle();
	enough.set();
	p.settle();
}
