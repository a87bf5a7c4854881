/* deadlock-sems.c - two semaphores of one permit each serve as locks, and are taken in both orders.
 * expect: deadlock 1 */
#include "zoo.h"

static struct sem s[2] = { { .permits = 1 }, { .permits = 1 } };
static struct gate g = { .missing = 2 };
static void lock(struct sem *which)
{
	sem_take(which);
	ct_acquire(ct_sem(which));
}
static void unlock(struct sem *which)
{
	ct_release(ct_sem(which));
	sem_give(which);
}
static void both(void *arg)
{
	int first = arg != NULL;

	lock(&s[first]);
	unlock(&s[first]);
	lock(&s[first]);
	meet(&g);
	lock(&s[!first]);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(both, NULL, "left");
	go(both, s, "right");
	return zoo_end();
}
