// cc-ready-two.cc - one that waits for either of two channels gets an item that nobody wakes it for.
// expect: ready-resource 1
#include "zoo.hpp"

static channel<int> jobs(4), orders(4);
static task<> serves()
{
	for (;;) {
		co_await wait_in_two(false, jobs.receivers, jobs.on(), orders.receivers, orders.on(),
			[](int i) { return (i ? orders : jobs).items.empty(); });
		guard_z z(Z);
		channel<int> &c = jobs.items.empty() ? orders : jobs;
		c.items.pop_front();
		ct_level(c.on(), c.items.size());
	}
}
static task<> sends(channel<int> &c) { co_await c.send(1); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(serves(), "serves");
	p.settle();
	for (int i = 0; i < 3; i++) {
		spawn(sends(i % 2 ? orders : jobs), "sends");
		p.settle();
	}
	guard_z z(Z);
	orders.items.push_back(1);	// as send() does, but for its wake
	ct_level(orders.on(), orders.items.size());
}
