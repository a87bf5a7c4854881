/* dead-awaitee-late.c - the child finished first, and its parent goes to wait for it all the same.
 * expect: dead-awaitee 1 */
#include "zoo.h"

static struct task *t;
static void child(void *arg) { (void)arg; }
static void parent(void *arg)
{
	(void)arg;
	enter();
	block(&t->joiners, ct_join(t->id), CT_HERE);	/* without a look at t->done */
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	t = go(child, NULL, "child");
	settle();
	go(parent, NULL, "parent");
	return zoo_end();
}
