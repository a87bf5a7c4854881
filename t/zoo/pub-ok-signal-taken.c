/* pub-ok-signal-taken.c - a condition wakes one that is dropped; the item is taken.
 * expect: nothing proven */
#include "pub.h"

static struct lock l;
static struct cond c;
static int items;
static struct task *first;
static void getter(void *arg)
{
	(void)arg;
	lock_get(&l);
	while (!items)
		cond_wait(&c, &l);
	items--;
	lock_put(&l);
}
static void giver(void *arg)
{
	(void)arg;
	lock_get(&l);
	items++;
	lock_put(&l);
	enter();
	ct_notify(ct_cond(&c), wake_first(&c.wl) != NULL);
	drop(first);
	leave();
	getter(NULL);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	first = go(getter, NULL, "a");
	settle();
	go(getter, NULL, "b");
	settle();
	go(giver, NULL, "giver");
	return pub_end(SOME);
}
