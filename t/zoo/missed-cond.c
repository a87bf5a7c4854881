/* missed-cond.c - a condition is waited for without a look at what it is about: that was told before.
 * expect: missed-wake 1 */
#include "zoo.h"

static struct cond filled;
static uint64_t items;
static void *fill(void *arg)
{
	enter();
	ct_level(ct_cond(&filled), ++items);
	leave();
	cond_signal(&filled);
	return arg;
}
static void waiter(void *arg)
{
	elsewhere(fill, arg);		/* here, where it has not the lock */
	pause_ms(1);
	enter();
	block(&filled.waiting, ct_cond(&filled), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(waiter, NULL, "waiter");
	return zoo_end();
}
