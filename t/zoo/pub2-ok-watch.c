/* pub2-ok-watch.c - watchers of a value: one comes while others are told of a change, and waits for the next.
 * expect: nothing proven */
#include "pub.h"

static struct wl wl;
static volatile bool go_on;
static void watcher(void *arg)
{
	for (int i = 0; i < (arg ? 1 : 3); i++) {
		while (arg && workers > 1 && !go_on)
			pause_ms(1);
		enter();
		wait_for(&wl, ct_cond(&wl));
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 3; i++)
		go(watcher, NULL, "watcher");
	settle();
	go(watcher, "late", "late");
	pause_ms(20);
	for (int i = 0; i < 2; i++) {
		enter();
		ct_notify(ct_cond(&wl), wl.first ? 3 : 0);
		wake_all(&wl);
		leave();
		pause_ms(5);
	}
	go_on = true;
	return pub_end(SOME);
}
