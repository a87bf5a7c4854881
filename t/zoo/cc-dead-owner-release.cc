// cc-dead-owner-release.cc - who got a guard from lock() takes the lock out of it, to unlock it by hand, and is cancelled first.
// expect: dead-owner 1
#include "zoo.hpp"

static mutex m;
static task<> holds()
{
	auto g = co_await m.lock();
	mutex *by_hand = std::exchange(g.m, nullptr);
	co_await sleep_ms(100000);
	by_hand->unlock();
}
static task<> waits() { auto g = co_await m.lock(); }

int main(int argc, char **argv)
{
	pool p(argc, argv);
	root *victim = spawn(holds(), "holds");

	p.settle();
	spawn(waits(), "waits");
	p.settle();
	cancel(victim);
	p.settle();
}
