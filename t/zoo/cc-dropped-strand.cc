// cc-dropped-strand.cc - a strand takes itself for running for ever, once an exception has left it: what is posted is not run.
// expect: dropped-wake 2
#include "zoo.hpp"

static struct {
	bool running;
	line posted;
} strand;
static channel<int> c(8);
static void post(waiter *w)
{
	ct::wake(w->id, w->on);
	if (strand.running)
		w->join(strand.posted);		// whoever runs it will take this as well
	else
		push(w);
}
static task<> fails()
{
	guard_z g(Z);
	strand.running = true;
	throw 1;				// past what resets it
	co_return;
}
static task<> receives() { co_await wait_in(c.receivers, ct_nothing(), always); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(fails(), "fails");
	spawn(receives(), "receives");
	spawn(receives(), "receives");
	p.settle();
	{
		guard_z g(Z);
		while (!c.receivers.empty())
			post(c.receivers.front());
	}
	for (int i = 0; i < 20; i++) {
		spawn([]() -> task<> { co_return; }(), "other");
		p.settle();
	}
}
