/* missed-join.c - the child ends and wakes its parent, which is still on its way to wait.
 * expect: missed-wake 1 */
#include "zoo.h"

static struct task *parent_task;
static void *end_child(void *arg)
{
	struct task *child = arg;

	ct_wake(parent_task->id, ct_join(child->id));
	ct_destroy(&child->ct, 1);
	return arg;
}
static void nothing(void *arg) { (void)arg; }
static void parent(void *arg)
{
	struct task *child = spawn(nothing, arg, "child");

	elsewhere(end_child, child);	/* ran to its end there */
	pause_ms(1);
	enter();
	block(NULL, ct_join(child->id), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	parent_task = spawn(parent, NULL, "parent");
	enter();
	wake(parent_task);
	leave();
	return zoo_end();
}
