/* dead-awaitee-late.c - the child finished first, and its parent goes to wait for it all the same.
 * expect: dead-awaitee 1 */
#include "zoo.h"

static void child(void *arg) { (void)arg; }
static void parent(void *arg)
{
	struct task *t = go(child, arg, "child");

	sleep_ms(20);
	enter();
	block(&t->joiners, ct_join(t->id), CT_HERE);	/* without a look at t->done */
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(parent, NULL, "parent");
	return zoo_end(300);
}
