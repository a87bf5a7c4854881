/* ready-sem.c - a permit is given back, and the waiter is not told.
 * expect: ready-resource 1 */
#include "zoo.h"

static struct sem s;
static void *give(void *arg)
{
	ct_level(ct_sem(&s), ++s.permits);
	return arg;
}
static void taker(void *arg)
{
	(void)arg;
	enter();
	ct_level(ct_sem(&s), s.permits);
	block(&s.waiting, ct_sem(&s), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(taker, NULL, "taker");
	settle();
	elsewhere(give, NULL);
	return zoo_end();
}
