/* pub2-ok-handed-over.c - an unlock hands the lock to the next, which says so when it runs; the last one works on.
 * expect: nothing proven */
#include "pub.h"

static struct lock l;
static void user(void *arg)
{
	enter();
	if (l.held)
		wait_for(&l.wl, ct_mutex(&l));
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	sleep_ms((long)arg);
	enter();
	ct_release(ct_mutex(&l));
	l.held = wake_first(&l.wl) != NULL;
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 5; i++)
		go(user, (void *)3, "quick");
	settle();
	pause_ms(40);
	go(user, (void *)100000, "slow");
	settle();
	go(user, (void *)1, "next");
	return pub_end(SOME);
}
