/* pub-sender-dropped.c - a sender is dropped, its channel closed, and who receives is not told.
 * expect: closed-resource 1
 * After austinjones/postage-rs#44. Mended, closing wakes them. */
#include "pub.h"

static struct chan c = { .room = 1 };
static void receiver(void *arg)
{
	(void)arg;
	chan_get(&c);
}
static void sender(void *arg)
{
	(void)arg;
	sleep_ms(20);
	if (mended) {
		chan_close(&c);
		return;
	}
	enter();
	c.closed = true;
	ct_close(ct_chan(&c));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(receiver, NULL, "receiver");
	settle();
	go(sender, NULL, "sender");
	pause_ms(50);
	return pub_end(SOME);
}
