/* pub-queue-get.c - an item wakes a getter that is cancelled, and the next waits.
 * expect: wasted-wake 1
 * After bpo-23812 (python/asyncio#269). Mended, the cancelled getter wakes the next. */
#include "pub.h"

static struct chan q = { .room = 8 };
static void getter(void *arg)
{
	(void)arg;
	enter();
	while (!q.n && !self()->stop)
		wait_for(&q.out, ct_chan(&q));
	if (self()->stop) {
		self()->cancelled = true;
		if (mended && q.n)
			wake_first(&q.out);
	} else {
		ct_level(ct_chan(&q), --q.n);
	}
	leave();
}
static void putter(void *arg)
{
	enter();
	ct_level(ct_chan(&q), ++q.n);
	wake_first(&q.out);
	cancel(arg);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_chan(&q), 0);
	struct task *a = go(getter, NULL, "a");
	settle();
	go(getter, NULL, "b");
	settle();
	go(putter, a, "putter");
	return pub_end(SOME);
}
