// ok-cc-guards.cc - many take turns at a lock whose lock() is a coroutine that returns its guard; one keeps it.
// expect: nothing proven
#include "zoo.hpp"

static mutex m;
static channel<int> c(64);
static task<> turns()
{
	for (int i = 0; i < 20; i++) {
		auto g = co_await m.lock();
		co_await c.send(i);
		co_await c.receive();
	}
}
static task<> keeps()
{
	auto g = co_await m.lock();
	co_await sleep_ms(3600000);
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	for (int i = 0; i < 8; i++)
		spawn(turns(), "turns");
	p.settle();
	spawn(keeps(), "keeps");
	p.settle();
	spawn(turns(), "turns");
	p.settle();
}
