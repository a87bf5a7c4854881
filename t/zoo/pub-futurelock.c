/* pub-futurelock.c - a lock goes to a task's older future for it, which it polls no more.
 * expect: wasted-wake 1
 * After asomers/futures-locks#3, and what the Oxide engineers call a futurelock. Mended, the
 * older is dropped first. */
#include "pub.h"

static struct lock l;
static bool given;		/* to the older future, which nobody polls */
static void twice(void *arg)
{
	(void)arg;
	enter();
	wait_until(&l.wl, ct_mutex(&l), 20);	/* select!: the other branch is first */
	if (mended)
		given = false;
	else
		given = true;
	while (l.held || given)
		wait_for(&l.wl, ct_mutex(&l));
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	lock_put(&l);
}
static void holder(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(60);
	lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(holder, NULL, "holder");
	settle();
	go(twice, NULL, "twice");
	pause_ms(100);
	return pub_end(SOME);
}
