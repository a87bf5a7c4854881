/* pub-lock-to-cancelled.c - unlock hands the lock to who waits first, who was cancelled: it is locked for ever.
 * expect: dead-owner 1
 * After lunarmodules/copas#199. Mended, the end of one that has it hands it on. */
#include "pub.h"

static struct { bool held; struct wl wl; struct task *owner; } l;
static void unlock(void)
{
	struct task *t = l.wl.first ? l.wl.first->task : NULL;

	ct_release_for(l.owner->id, ct_mutex(&l));
	l.owner = t;
	l.held = t != NULL;
	if (t) {
		ct_acquire_for(t->id, ct_mutex(&l));	/* it has it before it runs */
		wake_first(&l.wl);
	}
}
static void user(void *hold)
{
	enter();
	if (l.held) {
		wait_for(&l.wl, ct_mutex(&l));
	} else {
		l.held = true;
		l.owner = self();
		ct_acquire(ct_mutex(&l));
	}
	leave();
	if (hold)
		sleep_ms(30);
	enter();
	unlock();
	leave();
}

static struct task *second;
static void cancels(void *arg)
{
	(void)arg;
	sleep_ms(10);
	enter();
	unlock();			/* the first's, on its behalf: second has it, and is queued */
	drop(second);
	if (mended)
		unlock();
	leave();
}
static void first(void *arg)
{
	(void)arg;
	enter();
	l.held = true;
	l.owner = self();
	ct_acquire(ct_mutex(&l));
	leave();
	sleep_ms(100000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(first, NULL, "first");
	settle();
	second = go(user, NULL, "second");
	settle();
	go(user, NULL, "third");
	settle();
	go(cancels, NULL, "cancels");
	return pub_end(SOME);
}
