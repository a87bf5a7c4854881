// ok-cc-full.cc - senders wait for room before a full channel whose receiver has long work to do on each item.
// expect: nothing proven
#include "zoo.hpp"

static channel<int> c(2);
static task<> sends()
{
	for (int i = 0;; i++)
		co_await c.send(i);
}
static task<> receives()
{
	while (co_await c.receive())
		co_await sleep_ms(120);
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(receives(), "receives");
	for (int i = 0; i < 3; i++)
		spawn(sends(), "sends");
	pause_ms(250);
}
