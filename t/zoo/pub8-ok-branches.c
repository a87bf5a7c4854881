/* pub8-ok-branches.c - one waits for both of its branches: one has the lock and sleeps, the other wants it, as does a task.
 * nothing proven
 * Healthy: as futures::join!, whose branches are one task to a trace. The first gives it back in a minute. */
#include "pub.h"

static struct lock l;
static void joins(void *arg)
{
	(void)arg;
	enter();
	l.held = true;
	ct_acquire(ct_mutex(&l));
	add_leg(self(), &l.wl, ct_mutex(&l));
	block_as(ALL_OF, ct_nothing(), now() + 60000000000ull, CT_HERE);
	leave();
}
static void wants(void *arg)
{
	(void)arg;
	lock_get(&l);
	lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(joins, NULL, "joins");
	settle();
	go(wants, NULL, "wants");
	return pub_end(SOME);
}
