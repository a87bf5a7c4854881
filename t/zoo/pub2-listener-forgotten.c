/* pub2-listener-forgotten.c - a notify is given to an older listener of the task, which it does not wait on.
 * expect: nothing proven
 * After smol-rs/event-listener#143. Mended, the older one was dropped. */
#include "pub.h"

static struct wl wl;
static int stale = 1;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	wait_for(&wl, ct_cond(&wl));
	leave();
}
static void notify_one(void *arg)
{
	(void)arg;
	enter();
	if (!mended && stale) {
		stale--;
		ct_notify(ct_cond(&wl), 1);
	} else {
		ct_notify(ct_cond(&wl), wake_first(&wl) != NULL);
	}
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(waiter, NULL, "waiter");
	settle();
	go(notify_one, NULL, "notifier");
	return pub_end(SOME);
}
