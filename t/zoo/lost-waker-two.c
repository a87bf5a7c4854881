/* lost-waker-two.c - a waker is cloned into a race of two; both losers drop theirs.
 * expect: lost-waker 1 */
#include "zoo.h"

static struct task *t;
static void branch(void *arg)
{
	(void)arg;
	ct_waker_drop(t->id);
}
static void race(void *arg)
{
	(void)arg;
	enter();
	ct_waker_clone(self()->id);
	ct_waker_clone(self()->id);
	block(NULL, ct_user("whichever comes first"), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	t = go(race, NULL, "race");
	settle();
	go(branch, NULL, "left");
	go(branch, NULL, "right");
	return zoo_end();
}
