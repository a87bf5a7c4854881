/* lost-waker-replaced.c - two tasks poll one future, which keeps one waker: the second poll drops the first one's.
 * expect: lost-waker 1 */
#include "zoo.h"

static struct task *kept;
static void poller(void *arg)
{
	(void)arg;
	enter();
	ct_waker_clone(self()->id);
	if (kept)
		ct_waker_drop(kept->id);
	kept = self();
	block(NULL, ct_user("shared future"), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(poller, NULL, "first");
	settle();
	go(poller, NULL, "second");
	return zoo_end();
}
