// cc-asleep-local.cc - a wake goes to the queue of the worker that ran the task last, and that one sleeps; nobody signals it.
// expect: asleep-workers 1
#include "zoo.hpp"

static event go;
static line its_queue;
static task<> waits() { co_await go.wait(); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(waits(), "waits");
	p.settle();
	guard_z g(Z);
	waiter *w = go.waiting.front();

	ct::wake(w->id, w->on);
	w->join(its_queue);
}
