/* dead-owner-end.c - a task returns early, the lock still held.
 * expect: dead-owner 1 */
#include "zoo.h"

static struct lock l;
static struct chan done;
static void holder(void *arg)
{
	(void)arg;
	lock_take(&l);
	chan_recv(&done);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(holder, NULL, "holder");
	settle();
	go(use_lock, &l, "waiter");
	go(use_lock, &l, "waiter");
	settle();
	chan_send(&done);
	return zoo_end();
}
