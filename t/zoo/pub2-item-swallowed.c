/* pub2-item-swallowed.c - an item is handed to a receiver that is cancelled before it runs: the item is gone.
 * expect: nothing proven; hint: wasted-wake 1
 * After moonbitlang/async#160. Mended, it is not cancelled then. */
#include "pub.h"

static struct wl out;
static struct task *first;
static void receiver(void *arg)
{
	(void)arg;
	enter();
	wait_for(&out, ct_chan(&out));
	self()->cancelled = self()->stop;
	leave();
}
static void sender(void *arg)
{
	(void)arg;
	enter();
	wake_first(&out);		/* with the item */
	if (!mended)
		first->stop = true;
	leave();
	if (mended) {
		enter();
		wake_first(&out);
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	first = go(receiver, NULL, "first");
	settle();
	go(receiver, NULL, "second");
	settle();
	go(sender, NULL, "sender");
	return pub_end(SOME);
}
