/* pub-ok-poll-loop.c - a loop waits for a message with a time limit, over and over.
 * expect: nothing proven */
#include "pub.h"

static struct chan c = { .room = 4 };
static void poller(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000; i++) {
		enter();
		if (!c.n)
			wait_until(&c.out, ct_chan(&c), 5);
		if (c.n)
			ct_level(ct_chan(&c), --c.n);
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_chan(&c), 0);
	go(poller, NULL, "poller");
	pause_ms(50);
	enter();
	ct_level(ct_chan(&c), ++c.n);
	wake_first(&c.out);
	leave();
	pause_ms(SOME);
	return pub_end(0);
}
