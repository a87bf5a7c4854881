/* pub-lock-pruned.c - a release finds a cancelled waiter first, and wakes nobody.
 * expect: ready-resource 1
 * After agronholm/anyio#1145. Mended, it goes on to the next. */
#include "pub.h"

static struct lock l;
static struct task *first;
static void user(void *arg)
{
	(void)arg;
	enter();
	while (l.held && !self()->stop)
		wait_for(&l.wl, ct_mutex(&l));
	if (self()->stop) {
		leave();
		return;
	}
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	lock_put(&l);
}
static void holder(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(30);
	enter();
	l.held = false;
	ct_release(ct_mutex(&l));
	cancel(first);
	if (mended)
		wake_first(&l.wl);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(holder, NULL, "holder");
	settle();
	first = go(user, NULL, "a");
	settle();
	go(user, NULL, "b");
	pause_ms(100);
	return pub_end(SOME);
}
