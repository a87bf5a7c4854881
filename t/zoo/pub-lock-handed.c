/* pub-lock-handed.c - a lock is handed to a waiter that is dropped before it is polled.
 * expect: wasted-wake 1
 * After asomers/futures-locks#1. Mended, dropping it hands the lock on. */
#include "pub.h"

static struct lock l;
static struct task *first;
static void user(void *arg)
{
	(void)arg;
	lock_get(&l);
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
	wake_first(&l.wl);
	drop(first);
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
