/* pub-ok-lazy-sub.c - a watcher is woken, finds nothing, and waits again, often.
 * expect: nothing proven */
#include "pub.h"

static struct cond c;
static int wanted_at = 1000, seq;
static void watcher(void *arg)
{
	(void)arg;
	enter();
	while (seq < wanted_at)
		wait_for(&c.wl, ct_cond(&c));
	leave();
}
static void updater(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++) {
		enter();
		seq++;
		leave();
		cond_broadcast(&c);
		sleep_ms(2);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 3; i++)
		go(watcher, NULL, "watcher");
	settle();
	go(updater, NULL, "updater");
	pause_ms(80);
	return pub_end(SOME);
}
