// ok-cc-batch-or-time.cc - one waits for a batch of eight, or until its time has come; three are there, and it has time.
// expect: nothing proven
#include "zoo.hpp"

enum { BATCH = 8 };
static size_t items;
static line full;
static task<> drains()
{
	for (;;) {
		co_await wait_in_two(false, full, ct_chan(&items), sleepers, ct_timer(now() + 60000000000),
			[](int i) { return i || items < BATCH; });
		guard_z z(Z);
		ct_level(ct_chan(&items), items = 0);
	}
}
static task<> writes()
{
	for (int i = 0;; i++) {
		if (i < 2 * BATCH + 3) {
			guard_z z(Z);
			ct_level(ct_chan(&items), ++items);
			if (items == BATCH)
				wake_one(full);
		}
		co_await sleep_ms(3);
	}
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	ct_level(ct_chan(&items), 0);
	spawn(drains(), "drains");
	p.settle();
	spawn(writes(), "writes");
	pause_ms(400);
}
