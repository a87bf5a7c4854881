/* pub2-notify-all-but-one.c - notify_all detaches the list of waiters and loses one of them.
 * expect: nothing proven
 * After jbaldwin/libcoro#398. Mended, it wakes all. */
#include "pub.h"

static struct wl wl;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	wait_for(&wl, ct_cond(&wl));
	leave();
}
static void notify_all(void *arg)
{
	(void)arg;
	enter();
	for (int i = mended ? 0 : 1; i < 4; i++)
		wake_first(&wl);
	ct_notify(ct_cond(&wl), 4);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 4; i++)
		go(waiter, NULL, "waiter");
	settle();
	go(notify_all, NULL, "notifier");
	return pub_end(SOME);
}
