/* pub-dequeued.c - the executor evicts a task that has woken itself: nobody seems to hold a waker of it.
 * expect: dropped-wake 1
 * After redbadger/crux#339. Mended, it looks whether the task is queued. Others run all the time. */
#include "pub.h"

static struct task *eager;
static bool evicted;
static bool evict(struct task *t)
{
	if (t != eager || mended || evicted)
		return false;
	return evicted = t->scratch != NULL;
}
static void wakes_itself(void *arg)
{
	(void)arg;
	self()->scratch = &evicted;
	give_way();
}
static void busy(void *arg)
{
	(void)arg;
	for (;;) {
		pause_ms(1);
		give_way();
	}
}

int main(int argc, char **argv)
{
	skips = evict;
	pub_start(argc, argv);
	enter();
	eager = make(wakes_itself, NULL, "eager");
	ct_wake(eager->id, ct_nothing());
	push(eager);
	leave();
	for (int i = 0; i < workers; i++)
		go(busy, NULL, "busy");
	pause_ms(SOME);
	_exit(0);
}
