// cc-ready-permit.cc - a permit is given back by a destructor that knows of no waiters.
// expect: ready-resource 1
#include "zoo.hpp"

static semaphore s;
static event enough;
struct permit {
	~permit()
	{
		guard_z g(Z);
		ct_level(ct_sem(&s), ++s.permits);
	}
};
static task<> uses()
{
	co_await s.take();
	permit mine;
	co_await enough.wait();
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	s.give();
	spawn(uses(), "has it");
	p.settle();
	spawn(uses(), "wants it");
	p.settle();
	enough.set();
	p.settle();
}
