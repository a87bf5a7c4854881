/* ok-handover.c - a lock taken by one task and given back by another, which the first has left behind.
 * expect: nothing proven */
#include "zoo.h"

static struct lock l;
static void second(void *arg)
{
	(void)arg;
	sleep_ms(250);
	lock_give(&l);
}
static void first(void *arg)
{
	lock_take(&l);
	go(second, arg, "second");	/* the guard goes with it */
}
static void waiter(void *arg)
{
	(void)arg;
	sleep_ms(20);
	lock_take(&l);
	lock_give(&l);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(first, NULL, "first");
	go(waiter, NULL, "waiter");
	return zoo_stop(400);
}
