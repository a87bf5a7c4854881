/* pub-notify-dropped.c - notify_one goes to a waiter that is dropped; the other waits.
 * expect: nothing proven; suspected: wasted-wake 1
 * After tokio-rs/tokio#4618. Mended, the drop passes the notification on. */
#include "pub.h"

static struct cond n;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	wait_for(&n.wl, ct_cond(&n));
	leave();
}
static void notifier(void *arg)
{
	enter();
	ct_notify(ct_cond(&n), wake_first(&n.wl) != NULL);
	drop(arg);
	if (mended)
		ct_notify(ct_cond(&n), wake_first(&n.wl) != NULL);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *a = go(waiter, NULL, "a");
	settle();
	go(waiter, NULL, "b");
	settle();
	go(notifier, a, "notifier");
	return pub_end(SOME);
}
