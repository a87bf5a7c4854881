/* pub2-behind-cancelled.c - a free lock whose waiters are all cancelled: who comes now waits behind them.
 * expect: ready-resource 1
 * After agronholm/anyio#1145. Mended, the last of them wakes it. */
#include "pub.h"

static struct lock l;
static int waiters;
static struct task *first;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	waiters++;
	while (l.held && !self()->stop)
		wait_for(&l.wl, ct_mutex(&l));
	waiters--;
	if (mended && !l.held)
		wake_first(&l.wl);
	self()->cancelled = true;
	leave();
}
static void holder(void *arg)
{
	(void)arg;
	lock_get(&l);
	enter();
	block(ct_nothing(), 0, CT_HERE);	/* until the other waits for it */
	cancel(first);
	l.held = false;
	ct_release(ct_mutex(&l));
	while (l.held || waiters)		/* there is a queue: be fair */
		wait_for(&l.wl, ct_mutex(&l));
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *t = go(holder, NULL, "holder");

	settle();
	first = go(waiter, NULL, "waiter");
	settle();
	pause_ms(40);
	enter();
	resume_with(t, WOKEN, 0, ct_nothing());
	leave();
	return pub_end(SOME);
}
