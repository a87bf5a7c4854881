/* pub8-guard-dropped.c - one is cancelled, and who cancels it runs its guard's end; the next who has the lock keeps it.
 * expect: dead-owner 1
 * After moby/moby#17176's early return, behind a cancellation: the guard's release is told by who destroys the frame, which passes
 * nothing on. Mended, the next gives it back. */
#include "pub.h"

static struct lock l;
static void holder(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(60000);
	lock_put(&l);
}
static void keeps(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(2);
	if (mended)
		lock_put(&l);
}
static void wants(void *arg)
{
	(void)arg;
	lock_get(&l);
	lock_put(&l);
}

int main(int argc, char **argv)
{
	struct task *t;

	pub_start(argc, argv);
	t = go(holder, NULL, "holder");
	settle();
	lock_put(&l);			/* by its frame's end */
	enter();
	drop(t);
	leave();
	go(keeps, NULL, "keeps");
	pause_ms(50);
	go(wants, NULL, "wants");
	return pub_end(SOME);
}
