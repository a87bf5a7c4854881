/* dead-owner-end.c - a task returns early, the lock still held.
 * expect: dead-owner 2 */
#include "zoo.h"

static struct lock l;
static void holder(void *arg)
{
	(void)arg;
	lock_take(&l);
	sleep_ms(20);
}
static void waiter(void *arg)
{
	(void)arg;
	sleep_ms(5);
	lock_take(&l);
	lock_give(&l);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(holder, NULL, "holder");
	go(waiter, NULL, "waiter");
	go(waiter, NULL, "waiter");
	return zoo_end(300);
}
