/* pub-signal-for-two.c - two wait for one condition, and one signal comes where a broadcast is due.
 * expect: nothing proven
 * After moby/moby#30408. The trace cannot tell. Mended, it broadcasts. */
#include "pub.h"

static struct lock l;
static struct cond c;
static bool ready_;
static void waiter(void *arg)
{
	(void)arg;
	lock_get(&l);
	while (!ready_)
		cond_wait(&c, &l);
	lock_put(&l);
}
static void giver(void *arg)
{
	(void)arg;
	lock_get(&l);
	ready_ = true;
	lock_put(&l);
	if (mended)
		cond_broadcast(&c);
	else
		cond_signal(&c);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(waiter, NULL, "a");
	go(waiter, NULL, "b");
	settle();
	go(giver, NULL, "giver");
	return pub_end(SOME);
}
