/* ready-lock.c - a lock is released and nobody tells the one that waits for it.
 * expect: ready-resource 1 */
#include "zoo.h"

static struct lock l;
static struct chan done;
static void holder(void *arg)
{
	(void)arg;
	lock_take(&l);
	chan_recv(&done);
	enter();
	l.held = false;
	ct_release(ct_mutex(&l));
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(holder, NULL, "holder");
	settle();
	go(use_lock, &l, "waiter");
	settle();
	chan_send(&done);
	return zoo_end();
}
