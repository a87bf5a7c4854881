/* pub6-ok-one-item.c - of two who wait at a condition one is let go for one item, takes it silently and waits elsewhere.
 * nothing proven
 * Healthy: a broadcast let both go before, for a stop that was called off, and each looked and waited again. */
#include "pub.h"

static struct { struct wl wl; } items_in, done;
static int items;
static void consumer(void *arg)
{
	(void)arg;
	enter();
	while (!items)
		wait_for(&items_in.wl, ct_cond(&items_in));
	items--;
	for (;;)
		wait_for(&done.wl, ct_cond(&done));
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(consumer, NULL, "consumer");
	go(consumer, NULL, "consumer");
	settle();
	enter();
	wake_all(&items_in.wl);		/* to stop, which is called off */
	leave();
	settle();
	enter();
	items = 1;
	ct_level(ct_cond(&items_in), 1);
	wake_first(&items_in.wl);
	leave();
	return pub_end(SOME);
}
