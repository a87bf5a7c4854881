/* missed-waker.c - a future is woken while it is polled; the runtime takes that for a wake of a running task and forgets it.
 * expect: missed-wake 1 */
#include "zoo.h"

static void *call(void *arg)
{
	ct_wake(((struct task *)arg)->id, ct_nothing());
	ct_waker_drop(((struct task *)arg)->id);
	return NULL;
}
static void future(void *arg)
{
	(void)arg;
	ct_waker_clone(self()->id);
	elsewhere(call, self());
	pause_ms(1);
	enter();
	block(NULL, ct_user("a reply"), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(future, NULL, "future");
	return zoo_end();
}
