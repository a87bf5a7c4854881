/* dropped-spawn.c - tasks that were created and woken and got into no queue.
 * expect: dropped-wake 2 */
#include "zoo.h"

static void nothing(void *arg) { (void)arg; }
static void parent(void *arg)
{
	for (int i = 0; i < 4; i++) {
		struct task *t = spawn(nothing, arg, "child");

		enter();
		ct_wake(t->id, ct_nothing());
		if (i % 2)
			push(t);
		leave();
	}
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(parent, NULL, "parent");
	return zoo_end();
}
