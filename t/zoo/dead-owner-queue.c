/* dead-owner-queue.c - a holder returns early; four wait, and one bystander uses another lock in good health.
 * expect: dead-owner 1 */
#include "zoo.h"

static struct lock l, other;
static void holder(void *arg)
{
	(void)arg;
	lock_take(&l);
	yield();
}
static void waiter(void *arg)
{
	struct lock *which = arg;

	for (int i = 0; i < 3; i++) {
		lock_take(which);
		yield();
		lock_give(which);
	}
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(holder, NULL, "holder");
	settle();
	for (int i = 0; i < 4; i++)
		go(waiter, &l, "waiter");
	go(waiter, &other, "bystander");
	return zoo_end();
}
