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
	enter();
	block(ct_nothing(), 0, CT_HERE);	/* until main has seen both wait */
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
	struct task *first_holder;

	pub_start(argc, argv);
	first_holder = go(holder, NULL, "holder");
	settle();
	first = go(user, NULL, "a");
	settle();
	go(user, NULL, "b");
	settle();
	enter();
	resume_with(first_holder, WOKEN, -1, ct_nothing());
	leave();
	return pub_end(SOME);
}
