// cc-asleep-post.cc - a thread of another library queues two tasks and signals no worker.
// expect: asleep-workers 2
#include "zoo.hpp"

static channel<int> c(8);
static task<> receives() { co_await wait_in(c.receivers, c.on(), always); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	spawn(receives(), "receives");
	spawn(receives(), "receives");
	p.settle();
	elsewhere([] {
		guard_z g(Z);
		while (!c.receivers.empty()) {
			waiter *w = c.receivers.front();

			ct::wake(w->id, w->on);
			w->join(ready);
		}
	});
}
