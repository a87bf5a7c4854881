// ok-cc-standby.cc - a queue has one active consumer, and one that stands by until that one ends; it has long work on an item.
// expect: nothing proven
#include "zoo.hpp"

static size_t items;
static line active, standby;
static task<> consumes(line &mine, int quick)
{
	for (int i = 0;; i++) {
		for (;;) {
			co_await wait_in(mine, ct_chan(&items), [&] { return &mine == &standby || !items; });
			guard_z z(Z);
			if (!items)
				continue;
			ct_level(ct_chan(&items), --items);
			break;
		}
		co_await sleep_ms(i < quick ? 3 : 60000);
	}
}
static task<> source()
{
	for (int i = 0; i < 9; i++) {
		{
			guard_z z(Z);
			ct_level(ct_chan(&items), ++items);
			wake_one(active);
		}
		co_await sleep_ms(10);
	}
	co_await sleep_ms(60000);
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	ct_level(ct_chan(&items), 0);
	spawn(consumes(standby, 0), "stands by");
	p.settle();
	spawn(consumes(active, 5), "active");
	p.settle();
	spawn(source(), "source");
	pause_ms(400);
}
