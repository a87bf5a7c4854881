// cc-missed-two.cc - a flag or an item: the flag is set before its waiter has suspended, and the wait does not look again.
// expect: missed-wake 1
#include "zoo.hpp"

static event stop;
static channel<int> jobs(1);
static task<> waits()
{
	if (!stop.is_set) {
		elsewhere([] {
			stop.set();
			ct_notify(ct_cond(&stop), 0);
		});
		pause_ms(1);
		co_await wait_in_two(false, stop.waiting, ct_cond(&stop), jobs.receivers, jobs.on(), [](int) { return true; });
	}
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(waits(), "waits");
	p.settle();
}
