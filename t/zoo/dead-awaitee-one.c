/* dead-awaitee-one.c - a child's end wakes one of the three that wait for it.
 * expect: dead-awaitee 2 */
#include "zoo.h"

static struct task *t;
static void child(void *arg)
{
	(void)arg;
	enter();
	wake_one(&t->joiners);
	t->joiners.first = NULL;
	leave();
}
static void parent(void *arg)
{
	(void)arg;
	join(t);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	t = spawn(child, NULL, "child");
	for (int i = 0; i < 3; i++)
		go(parent, NULL, "parent");
	settle();
	enter();
	wake(t);
	leave();
	return zoo_end();
}
