/* dead-owner-notify.c - a task takes a lock, sends a message and returns without giving the lock back.
 * expect: dead-owner 1 */
#include "zoo.h"

static struct chan c;
static struct lock l;
static void consumer(void *arg)
{
	(void)arg;
	for (;;)
		chan_recv(&c);
}
static void producer(void *arg)
{
	(void)arg;
	lock_take(&l);
	chan_send(&c);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(consumer, NULL, "consumer");
	settle();		/* the consumer waits: what is sent wakes it, and it waits again */
	go(producer, NULL, "producer");
	settle();
	go(use_lock, &l, "waiter");
	return zoo_end();
}
