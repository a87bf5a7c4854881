/* lost-waker-drop.c - the only waker of a pending task is dropped by whoever should have called it.
 * expect: lost-waker 1 */
#include "zoo.h"

static void *drop(void *arg)
{
	ct_waker_drop(((struct task *)arg)->id);
	return arg;
}
static void pending(void *arg)
{
	(void)arg;
	enter();
	ct_waker_clone(self()->id);
	block(NULL, ct_user("a reply"), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	struct task *t;

	zoo_start(argc, argv);
	t = go(pending, NULL, "pending");
	settle();
	elsewhere(drop, t);
	return zoo_end();
}
