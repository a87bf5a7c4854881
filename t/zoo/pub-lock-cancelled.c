/* pub-lock-cancelled.c - a lock's release wakes one who is cancelled before it takes it.
 * expect: wasted-wake 1
 * After python/cpython#1031 (bpo-27585). Mended, the cancelled one wakes the next. */
#include "pub.h"

static struct lock l;
static void user(void *arg)
{
	(void)arg;
	enter();
	while (l.held && !self()->stop)
		wait_for(&l.wl, ct_mutex(&l));
	if (self()->stop) {
		self()->cancelled = true;
		if (mended && !l.held)
			wake_first(&l.wl);
		leave();
		return;
	}
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	lock_put(&l);
}
static struct task *first;
static void holder(void *arg)
{
	(void)arg;
	lock_get(&l);
	enter();
	block(ct_nothing(), 0, CT_HERE);	/* until both wait */
	l.held = false;
	ct_release(ct_mutex(&l));
	wake_first(&l.wl);
	cancel(first);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *has = go(holder, NULL, "holder");

	settle();
	first = go(user, NULL, "a");
	settle();
	go(user, NULL, "b");
	settle();
	enter();
	resume_with(has, WOKEN, 0, ct_nothing());
	leave();
	return pub_end(SOME);
}
