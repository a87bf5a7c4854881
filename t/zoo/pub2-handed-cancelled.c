/* pub2-handed-cancelled.c - an unlock hands the lock to a waiter that is cancelled before it runs.
 * expect: wasted-wake 1
 * After Kotlin/kotlinx.coroutines#2380. Mended, the cancelled one unlocks. */
#include "pub.h"

static struct lock l;
static void unlock(void)
{
	ct_release(ct_mutex(&l));
	l.held = wake_first(&l.wl) != NULL;	/* it is that one's now */
}
static void user(void *arg)
{
	(void)arg;
	enter();
	if (l.held)
		wait_for(&l.wl, ct_mutex(&l));
	l.held = true;
	if (self()->stop) {
		self()->cancelled = true;
		if (mended) {
			ct_acquire(ct_mutex(&l));
			unlock();
		}
		leave();
		return;
	}
	ct_acquire(ct_mutex(&l));
	unlock();
	leave();
}
static struct task *first;
static void holder(void *arg)
{
	(void)arg;
	enter();
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	sleep_ms(40);
	enter();
	unlock();
	first->stop = true;
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(holder, NULL, "holder");
	settle();
	first = go(user, NULL, "first");
	settle();
	go(user, NULL, "second");
	pause_ms(80);
	return pub_end(SOME);
}
