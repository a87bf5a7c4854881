/* pub4-sender-ended.c - the only sender of a channel ends without closing it, and the receiver waits for more.
 * expect: dead-owner 1
 * After true-async/php-async#162. Mended, it closes the channel. */
#include "pub.h"

static struct chan c = { .room = 8 };
static void sends(void *arg)
{
	(void)arg;
	ct_acquire(ct_chan(&c));		/* nobody else sends */
	for (int i = 0; i < 3; i++)
		chan_put(&c);
	if (mended)
		chan_close(&c);
}
static void receives(void *arg)
{
	(void)arg;
	while (chan_get(&c))
		;
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&c), 0);
	leave();
	go(receives, NULL, "receives");
	settle();
	go(sends, NULL, "sends");
	return pub_end(SOME);
}
