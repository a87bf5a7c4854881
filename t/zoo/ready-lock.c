/* ready-lock.c - a lock is released and nobody tells the one that waits for it.
 * expect: ready-resource 1 */
#include "zoo.h"

static struct lock l;
static void holder(void *arg)
{
	(void)arg;
	lock_take(&l);
	sleep_ms(30);
	enter();
	l.held = false;
	ct_release(ct_mutex(&l));
	leave();
}
static void waiter(void *arg)
{
	(void)arg;
	sleep_ms(10);
	lock_take(&l);
	lock_give(&l);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(holder, NULL, "holder");
	go(waiter, NULL, "waiter");
	return zoo_end(300);
}
