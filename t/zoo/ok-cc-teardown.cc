// ok-cc-teardown.cc - whatever one may wait for, when the workers are joined and all frames destroyed, guards and permits with them.
// expect: nothing proven
#include "zoo.hpp"

static mutex m;
static semaphore s;
static channel<int> c(1);
static event never;
static task<> holds() { auto g = co_await m.lock(); co_await sleep_ms(3600000); }
static task<> locks() { auto g = co_await m.lock(); }
static task<> takes() { co_await s.take(); }
static task<> receives() { co_await c.receive(); }
static task<> waits() { co_await never.wait(); }
static task<> reads(int fd) { co_await readable(fd); }
static task<> joins(root *r) { co_await join(r); }

int main(int argc, char **argv)
{
	sockets pair;
	pool p(argc, argv);
	root *r = spawn(holds(), "holds");

	p.settle();
	spawn(locks(), "locks");
	spawn(takes(), "takes");
	spawn(receives(), "receives");
	spawn(waits(), "waits");
	spawn(reads(pair.a), "reads");
	spawn(joins(r), "joins");
	p.settle();
}
