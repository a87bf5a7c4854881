/* deadlock-self.c - a task takes a lock twice that cannot be taken twice; others queue up behind it.
 * expect: deadlock 1 */
#include "zoo.h"

static struct lock l;
static void twice(void *arg)
{
	(void)arg;
	lock_take(&l);
	lock_take(&l);
}
static void waiter(void *arg)
{
	(void)arg;
	lock_take(&l);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(twice, NULL, "twice");
	settle();
	go(waiter, NULL, "waiter");
	return zoo_end();
}
