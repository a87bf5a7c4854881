/* dead-owner-cancel.c - the holder of a lock is cancelled while it sleeps; nothing gives the lock back.
 * expect: dead-owner 1 */
#include "zoo.h"

static struct lock l;
static struct task *victim;
static void holder(void *arg)
{
	(void)arg;
	lock_take(&l);
	sleep_ms(10000);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	victim = go(holder, NULL, "holder");
	settle();
	go(use_lock, &l, "waiter");
	settle();
	enter();
	take_this(&sleepers, victim);
	ct_destroy(&victim->ct, 0);
	leave();
	return zoo_end();
}
