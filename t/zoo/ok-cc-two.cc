// ok-cc-two.cc - waits for either and for both of two: what closes wakes them, a lock is given back before; one is idle.
// expect: nothing proven
#include "zoo.hpp"

static channel<int> jobs(1), orders(1), idle(1);
static mutex m;
static task<> serves(channel<int> &a, channel<int> &b)
{
	auto empty = [&](int i) { channel<int> &c = i ? b : a; return c.items.empty() && !c.closed; };

	co_await wait_in_two(false, a.receivers, a.on(), b.receivers, b.on(), empty);
}
static task<> stores() { auto g = co_await m.lock(); }
static task<> both()
{
	root *child[] = { spawn(stores(), "stores"), spawn(stores(), "stores") };
	auto lives = [child](int i) { return !child[i]->done(); };

	{
		auto g = co_await m.lock();
		co_await sleep_ms(5);
	}
	co_await wait_in_two(true, child[0]->t.handle.promise().joiners, ct_join(child[0]->id()),
		child[1]->t.handle.promise().joiners, ct_join(child[1]->id()), lives);
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	for (int i = 0; i < 10; i++)
		spawn(both(), "both");
	spawn(serves(jobs, orders), "serves");
	spawn(serves(jobs, idle), "rests");
	p.settle();
	elsewhere([] { orders.close(); });
	p.settle();
	spawn(serves(jobs, idle), "rests");
	p.settle();
}
