/* missed-sem.c - a permit is given between the look and the wait; the wake is for a task that runs.
 * expect: missed-wake 1 */
#include "zoo.h"

static struct sem s;
static void *give(void *arg)
{
	ct_level(ct_sem(&s), ++s.permits);
	ct_wake(((struct task *)arg)->id, ct_sem(&s));
	return NULL;
}
static void taker(void *arg)
{
	(void)arg;
	elsewhere(give, self());
	pause_ms(1);
	enter();
	block(&s.waiting, ct_sem(&s), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(taker, NULL, "taker");
	return zoo_end();
}
