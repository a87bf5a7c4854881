/* pub-select-locks.c - it selects whichever of two locks comes first, under a third that their holder wants.
 * expect: deadlock 1
 * After moby/moby#4951, through a select. Mended, it gives the third back before. */
#include "pub.h"

static struct lock x, y, z;
static void both(void *arg)
{
	(void)arg;
	lock_get(&y);
	lock_get(&z);
	sleep_ms(30);
	lock_get(&x);
	lock_put(&x);
	lock_put(&z);
	lock_put(&y);
}
static void either(void *arg)
{
	struct lock *got;

	(void)arg;
	sleep_ms(10);
	lock_get(&x);
	sleep_ms(30);
	if (mended)
		lock_put(&x);
	enter();
	while (y.held && z.held) {
		add_leg(self(), &y.wl, ct_mutex(&y));
		add_leg(self(), &z.wl, ct_mutex(&z));
		block_as(ANY_OF, ct_nothing(), 0, CT_HERE);
	}
	got = y.held ? &z : &y;
	got->held = true;
	ct_acquire(ct_mutex(got));
	leave();
	lock_put(got);
	if (!mended)
		lock_put(&x);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(both, NULL, "both");
	go(either, NULL, "either");
	pause_ms(120);
	return pub_end(SOME);
}
