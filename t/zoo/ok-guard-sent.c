/* ok-guard-sent.c - a task sends the guard of a lock over a channel and ends; who received it is at work.
 * expect: nothing proven */
#include "zoo.h"

static struct lock l;
static struct chan guards;
static void keeper(void *arg)
{
	(void)arg;
	chan_recv(&guards);
	sleep_ms(100000);
	lock_give(&l);
}
static void taker(void *arg)
{
	(void)arg;
	lock_take(&l);
	chan_send(&guards);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(keeper, NULL, "keeper");
	settle();
	go(taker, NULL, "taker");
	settle();
	go(use_lock, &l, "waiter");
	return zoo_end();
}
