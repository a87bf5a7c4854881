/* ok-full.c - a sender waits for room in a full channel whose consumer is slow.
 * expect: nothing proven */
#include "zoo.h"

static struct chan c;
static struct waiters room;
static void sender(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (c.items == 4)
			block(&room, ct_chan(&c), CT_HERE);
		leave();
		chan_send(&c);
	}
}
static void consumer(void *arg)
{
	(void)arg;
	for (;;) {
		chan_recv(&c);
		enter();
		wake_one(&room);
		leave();
		sleep_ms(120);
	}
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(sender, NULL, "sender");
	go(consumer, NULL, "consumer");
	return zoo_stop(500);
}
