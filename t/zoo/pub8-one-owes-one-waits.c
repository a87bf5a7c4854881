/* pub8-one-owes-one-waits.c - of two that owe a wait group one ends without, the other wants a lock of who waits for the group.
 * expect: deadlock 1
 * After neilotoole/errgroup#6's family. Whoever of them could bring it about: none does. Mended, who waits has no lock. */
#include "pub.h"

static struct lock l;
static struct { int n; struct wl wl; } group = { .n = 2 };
static void done(void)
{
	enter();
	if (!--group.n) {
		ct_level(ct_cond(&group), 1);
		wake_all(&group.wl);
	}
	ct_release(ct_cond(&group));
	leave();
}
static void owes(void *ends)
{
	enter();
	ct_acquire(ct_cond(&group));
	leave();
	sleep_ms(ends ? 10 : 30);
	if (ends && !mended)
		return;
	lock_get(&l);
	lock_put(&l);
	done();
}
static void waits(void *arg)
{
	(void)arg;
	if (!mended)
		lock_get(&l);
	enter();
	while (group.n)
		wait_for(&group.wl, ct_cond(&group));
	leave();
	if (!mended)
		lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_cond(&group), 0);
	leave();
	go(owes, &group, "ends");
	go(owes, NULL, "waits for the lock");
	settle();
	go(waits, NULL, "waits for both");
	pause_ms(60);
	return pub_end(SOME);
}
