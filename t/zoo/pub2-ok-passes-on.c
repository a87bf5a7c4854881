/* pub2-ok-passes-on.c - a waiter that is cancelled after its wake passes it on; the next works for long.
 * expect: nothing proven */
#include "pub.h"

static struct lock l;
static struct task *first;
static void user(void *arg)
{
	enter();
	while (l.held && !self()->stop)
		wait_for(&l.wl, ct_mutex(&l));
	if (self()->stop) {
		self()->cancelled = true;
		if (!l.held)
			wake_first(&l.wl);
		leave();
		return;
	}
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	sleep_ms((long)arg);
	lock_put(&l);
}
static void holder(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(30);
	lock_put(&l);
	enter();
	first->stop = true;
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(holder, NULL, "holder");
	settle();
	first = go(user, (void *)1, "first");
	settle();
	go(user, (void *)100000, "second");
	settle();
	go(user, (void *)1, "third");
	pause_ms(60);
	return pub_end(SOME);
}
