// cc-closed-channel.cc - a channel is closed for its receivers only; those who wait for room are forgotten.
// expect: closed-resource 2
#include "zoo.hpp"

static channel<int> c(1);
static task<> sends() { co_await c.send(1); }

int main(int argc, char **argv)
{
	pool p(argc, argv);

	for (int i = 0; i < 3; i++)
		spawn(sends(), "sends");	// the first finds room
	p.settle();
	elsewhere([] {
		guard_z g(Z);
		c.closed = true;
		ct_close(c.on());
		wake_all(c.receivers);
	});
}
