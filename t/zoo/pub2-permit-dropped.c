/* pub2-permit-dropped.c - a permit is given to a waiting future that is dropped before it is polled again.
 * expect: wasted-wake 1
 * After tokio-rs/tokio#1898. Mended, its drop gives the permit back. */
#include "pub.h"

static struct lock l;
static struct task *first;
static void user(void *arg)
{
	(void)arg;
	enter();
	if (l.held)
		wait_for(&l.wl, ct_mutex(&l));
	l.held = true;
	ct_acquire(ct_mutex(&l));
	ct_release(ct_mutex(&l));
	l.held = wake_first(&l.wl) != NULL;
	leave();
}
static void holder(void *arg)
{
	(void)arg;
	enter();
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	sleep_ms(40);
	enter();
	ct_release(ct_mutex(&l));
	l.held = wake_first(&l.wl) != NULL;
	drop(first);
	if (mended)
		l.held = wake_first(&l.wl) != NULL;
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
