/* ok-handover-held.c - a lock whose guard went to a task that still holds it, its first holder long gone.
 * expect: nothing proven */
#include "zoo.h"

static struct lock l;
static void second(void *arg)
{
	(void)arg;
	sleep_ms(100000);	/* a long transaction */
	lock_give(&l);
}
static void first(void *arg)
{
	lock_take(&l);
	go(second, arg, "second");
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(first, NULL, "first");
	settle();
	go(use_lock, &l, "waiter");
	return zoo_end();
}
