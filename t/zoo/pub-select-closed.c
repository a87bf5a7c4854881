/* pub-select-closed.c - it selects over two channels, and both are closed without waking it.
 * expect: closed-resource 1
 * After etcd-io/etcd#6857, whose node has stopped. Mended, each close wakes. */
#include "pub.h"

static struct chan a, b;
static void selects(void *arg)
{
	(void)arg;
	enter();
	while (!a.closed || !b.closed) {
		if (!a.closed)
			add_leg(self(), &a.out, ct_chan(&a));
		if (!b.closed)
			add_leg(self(), &b.out, ct_chan(&b));
		block_as(ANY_OF, ct_nothing(), 0, CT_HERE);
	}
	leave();
}
static void closes(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		struct chan *c = i ? &b : &a;

		sleep_ms(20);
		if (mended) {
			chan_close(c);
			continue;
		}
		enter();
		c->closed = true;
		ct_close(ct_chan(c));
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(selects, NULL, "selects");
	settle();
	go(closes, NULL, "closes");
	pause_ms(80);
	return pub_end(SOME);
}
