/* pub-when-all.c - it waits for all of its children under a lock that one of them needs.
 * expect: deadlock 1
 * After boostorg/thread#416. Mended, it gives the lock back before. */
#include "pub.h"

static struct lock l;
static void quick(void *arg)
{
	(void)arg;
	sleep_ms(10);
}
static void logs(void *arg)
{
	(void)arg;
	lock_get(&l);
	lock_put(&l);
}
static void parent(void *arg)
{
	struct task *t[2];

	(void)arg;
	lock_get(&l);
	t[0] = go(quick, NULL, "quick");
	t[1] = go(logs, NULL, "logs");
	if (mended)
		lock_put(&l);
	enter();
	while (t[0]->state != OVER || t[1]->state != OVER) {
		for (int i = 0; i < 2; i++)
			if (t[i]->state != OVER)
				add_leg(self(), &t[i]->joiners, ct_join(t[i]->id));
		block_as(ALL_OF, ct_nothing(), 0, CT_HERE);
	}
	leave();
	if (!mended)
		lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(parent, NULL, "parent");
	pause_ms(100);
	return pub_end(SOME);
}
