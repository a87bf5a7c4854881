/* dropped-yield.c - a task yields, and the queue it is put back into is nobody's.
 * expect: dropped-wake 1 */
#include "zoo.h"

static struct waiters nobodys;
static void yielder(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++)
		yield();
	enter();
	ct_suspend(&self()->ct, CT_HERE, ct_nothing());
	ct_wake(self()->id, ct_nothing());
	put(&nobodys, self());
	switch_out();
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(yielder, NULL, "yielder");
	return zoo_end();
}
