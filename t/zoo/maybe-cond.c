/* maybe-cond.c - the same as missed-cond, but nothing tells what the condition is about: it may have been for another.
 * expect: nothing proven; hint: missed-wake 1 */
#include "zoo.h"

static struct cond filled;
static void *fill(void *arg)
{
	cond_signal(&filled);
	return arg;
}
static void waiter(void *arg)
{
	elsewhere(fill, arg);
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
