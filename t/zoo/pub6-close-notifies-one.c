/* pub6-close-notifies-one.c - who closes a channel notifies one of those who wait to receive.
 * expect: closed-resource 1
 * After jbaldwin/libcoro#398. Mended, it notifies all. */
#include "pub.h"

static struct chan c = { .room = 2 };
static void receives(void *arg)
{
	(void)arg;
	while (chan_get(&c))
		;
}
static void closes(void *arg)
{
	uint64_t n = 0;

	(void)arg;
	enter();
	c.closed = true;
	ct_close(ct_chan(&c));
	while ((mended || !n) && wake_first(&c.out))
		n++;
	ct_notify(ct_chan(&c), n);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&c), 0);
	leave();
	go(receives, NULL, "receives");
	go(receives, NULL, "receives");
	settle();
	go(closes, NULL, "closes");
	return pub_end(SOME);
}
