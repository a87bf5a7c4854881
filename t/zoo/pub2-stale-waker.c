/* pub2-stale-waker.c - an unlock wakes the first in the queue, whose waker was left there when it got the lock at once.
 * expect: wasted-wake 1
 * After asterinas/asterinas#1261. Mended, who gets the lock takes its waker out. */
#include "pub.h"

static struct { bool held; struct task *q[8]; int n; } l;
static void unlock(void)
{
	struct task *t = l.n ? l.q[0] : NULL;

	l.held = false;
	ct_release(ct_mutex(&l));
	if (!t)
		return;
	memmove(l.q, l.q + 1, (size_t)--l.n * sizeof(l.q[0]));
	if (t->state == WAITING)
		resume_with(t, WOKEN, -1, ct_mutex(&l));
	else
		ct_wake(t->id, ct_mutex(&l));
}
static void lock(bool enqueue_first)
{
	if (enqueue_first)
		l.q[l.n++] = self();
	while (l.held) {
		if (!enqueue_first)
			l.q[l.n++] = self();
		block(ct_mutex(&l), 0, CT_HERE);
	}
	if (enqueue_first && mended)
		l.n--;
	l.held = true;
	ct_acquire(ct_mutex(&l));
}
static void user(void *arg)
{
	enter();
	lock(arg != NULL);
	if (arg)
		block(ct_nothing(), 0, CT_HERE);	/* until main has seen the other wait */
	unlock();
	leave();
}

int main(int argc, char **argv)
{
	struct task *a;

	pub_start(argc, argv);
	a = go(user, "enqueues, and finds it free", "a");
	settle();
	go(user, NULL, "c");
	settle();
	enter();
	resume_with(a, WOKEN, -1, ct_nothing());
	leave();
	return pub_end(SOME);
}
