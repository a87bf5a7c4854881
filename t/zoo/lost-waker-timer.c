/* lost-waker-timer.c - a timer that held the waker of a pending task is dropped with its wheel.
 * expect: lost-waker 2 */
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
	block(NULL, ct_timer(now() + 60000000000), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	struct task *t[3];

	zoo_start(argc, argv);
	for (int i = 0; i < 3; i++)
		t[i] = go(pending, NULL, "pending");
	settle();
	elsewhere(drop, t[0]);
	elsewhere(drop, t[2]);
	return zoo_end();
}
