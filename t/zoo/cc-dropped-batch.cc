// cc-dropped-batch.cc - a timer takes its batch out of its line, and throws the rest of it away after the first that fails.
// expect: dropped-wake 2
#include "zoo.hpp"

static line batch;
static task<> sleeps() { co_await wait_in(batch, ct_any(CT_ON_TIMER), always); }
static task<> fires()
{
	guard_z g(Z);
	std::vector<waiter *> due(batch.begin(), batch.end());

	for (waiter *w : due)
		ct::wake(w->id, w->on), w->leave();
	for (waiter *w : due) {
		push(w);
		throw 1;		// "could not be run"
	}
	co_return;
}

int main(int argc, char **argv)
{
	pool p(argc, argv);

	for (int i = 0; i < 3; i++)
		spawn(sleeps(), "sleeps");
	p.settle();
	spawn(fires(), "fires");
	p.settle();
}
