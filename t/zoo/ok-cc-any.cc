// ok-cc-any.cc - the losers of a race are cancelled where they stand: with a guard, in a channel, at a descriptor.
// expect: nothing proven
#include "zoo.hpp"

static mutex m;
static channel<int> c(1);
static task<> holds()
{
	auto g = co_await m.lock();
	co_await sleep_ms(3600000);
}
static task<> receives() { co_await c.receive(); }
static task<> reads(int fd) { co_await readable(fd); }
static task<> wins(event &start) { co_await start.wait(); }
static task<> race(int fd, event &start)
{
	root *loser[] = { spawn(holds(), "holds"), spawn(receives(), "receives"), spawn(reads(fd), "reads") };

	co_await join(spawn(wins(start), "wins"));
	for (root *r : loser)
		cancel(r);
	co_await c.receive();		// and then it is idle
}

int main(int argc, char **argv)
{
	sockets s;
	event start[10];
	pool p(argc, argv);

	for (event &e : start) {
		spawn(race(s.a, e), "race");
		p.settle();
		e.set();
		p.settle();
	}
}
