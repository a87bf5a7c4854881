/* pub-join-panicked.c - a task ends by a panic, and who joins it is not told.
 * expect: dead-awaitee 1
 * After glommio/glommio#37. Mended, every end tells. */
#include "pub.h"

static void panics(void *arg)
{
	(void)arg;
	enter();
	block(ct_nothing(), 0, CT_HERE);	/* until somebody joins it */
	if (!mended)
		self()->joiners.first = NULL;
	self()->cancelled = true;
	leave();
}
static void parent(void *arg)
{
	join((struct task *)arg);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *child = go(panics, NULL, "child");
	settle();
	go(parent, child, "parent");
	settle();
	enter();
	resume_with(child, WOKEN, 0, ct_nothing());
	leave();
	return pub_end(SOME);
}
