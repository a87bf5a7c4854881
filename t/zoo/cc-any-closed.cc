// cc-any-closed.cc - one that waits for an item of either of two channels, which are both closed without a word.
// expect: closed-resource 1
#include "zoo.hpp"

static channel<int> jobs(1), orders(1);
static task<> serves()
{
	auto empty = [](int i) { channel<int> &c = i ? orders : jobs; return c.items.empty() && !c.closed; };

	co_await wait_in_two(false, jobs.receivers, jobs.on(), orders.receivers, orders.on(), empty);
}
static void hang_up(channel<int> &c)
{
	guard_z z(Z);

	c.closed = true;
	ct_close(c.on());
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(serves(), "serves");
	p.settle();
	elsewhere([] { hang_up(jobs); });
	elsewhere([] { hang_up(orders); });
}
