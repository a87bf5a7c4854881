/* pub-join-panicked.c - a task ends by a panic, and who joins it is not told.
 * expect: dead-awaitee 1
 * After glommio/glommio#37. Mended, every end tells. */
#include "pub.h"

static void panics(void *arg)
{
	(void)arg;
	sleep_ms(30);
	enter();
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
	pause_ms(60);
	return pub_end(SOME);
}
