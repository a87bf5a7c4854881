/* pub-ok-crawler.c - a crawler's permits: all but one download are done; that one's server is slow.
 * expect: nothing proven */
#include "pub.h"

static struct sem s = { .n = 3 };
static struct wl slow;
static void fetch(void *arg)
{
	sem_get(&s);
	ct_acquire(ct_sem(&s));
	if (arg) {
		enter();
		wait_for(&slow, ct_fd(12));
		leave();
	} else {
		sleep_ms(3);
	}
	ct_release(ct_sem(&s));
	sem_put(&s);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_sem(&s), 3);
	go(fetch, "slow", "slow");
	for (int i = 0; i < 15; i++)
		go(fetch, NULL, "fetch");
	pause_ms(80);
	return pub_end(SOME);
}
