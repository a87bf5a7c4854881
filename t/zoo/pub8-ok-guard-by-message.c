/* pub8-ok-guard-by-message.c - a guard goes by message to an actor, which keeps it and rests at its mailbox, as it always does.
 * nothing proven
 * Healthy: it gives the lock back when it is told to. */
#include "pub.h"

static struct lock l;
static struct chan box = { .room = 4 };
static struct task *actor;
static void acts(void *arg)
{
	(void)arg;
	for (;;)
		chan_get(&box);
}
static void gives(void *arg)
{
	(void)arg;
	lock_get(&l);
	enter();
	ct_release(ct_mutex(&l));
	ct_acquire_for(actor->id, ct_mutex(&l));
	leave();
	chan_put(&box);
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
	actor = go(acts, NULL, "actor");
	settle();
	go(gives, NULL, "gives");
	settle();
	go(wants, NULL, "wants");
	return pub_end(SOME);
}
