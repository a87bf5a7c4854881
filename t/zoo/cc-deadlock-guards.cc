// cc-deadlock-guards.cc - two locks, their guards got from lock() in both orders.
// expect: deadlock 1
#include "zoo.hpp"

static mutex m[2];
static event both;
static int have;
static task<> locks(int first)
{
	auto g = co_await m[first].lock();
	{
		guard_z z(Z);
		if (++have == 2)
			both.set();
	}
	co_await both.wait();
	auto h = co_await m[!first].lock();
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(locks(0), "left");
	spawn(locks(1), "right");
	p.settle();
}
