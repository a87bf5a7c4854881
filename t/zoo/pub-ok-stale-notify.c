/* pub-ok-stale-notify.c - notifies that nobody hears, for items taken without a wait.
 * expect: nothing proven */
#include "pub.h"

static struct cond c;
static int items;
static void consumer(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!items)
			wait_for(&c.wl, ct_cond(&c));
		items--;
		leave();
	}
}
static void producer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++) {
		enter();
		items++;
		ct_notify(ct_cond(&c), wake_first(&c.wl) != NULL);
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(producer, NULL, "producer");
	settle();
	go(consumer, NULL, "consumer");
	settle();
	go(producer, NULL, "producer");
	return pub_end(SOME);
}
