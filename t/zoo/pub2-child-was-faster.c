/* pub2-child-was-faster.c - the child has finished before the parent attaches its continuation.
 * expect: dead-awaitee 1
 * After tankiJong/cpp-coroutine-job-system#1. Mended, the parent sees that it has. */
#include "pub.h"

static void child(void *arg) { (void)arg; }
static void parent(void *arg)
{
	struct task *t = arg;
	bool over;

	enter();
	over = mended && t->state == OVER;
	if (!over)
		wait_for(&t->joiners, ct_await(t->id));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *t = go(child, NULL, "child");

	settle();
	go(parent, t, "parent");
	return pub_end(SOME);
}
