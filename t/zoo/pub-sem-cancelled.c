/* pub-sem-cancelled.c - a permit wakes one who is cancelled before it runs; another waits.
 * expect: wasted-wake 1
 * After python/asyncio#270. Mended, the cancelled one wakes the next. */
#include "pub.h"

static struct sem s;
static void taker(void *arg)
{
	(void)arg;
	enter();
	while (!s.n && !self()->stop)
		wait_for(&s.wl, ct_sem(&s));
	if (self()->stop) {
		self()->cancelled = true;
		if (mended && s.n)
			wake_first(&s.wl);
	} else {
		ct_level(ct_sem(&s), --s.n);
	}
	leave();
}
static void breaker(void *arg)
{
	enter();
	ct_level(ct_sem(&s), ++s.n);
	wake_first(&s.wl);
	cancel(arg);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *a = go(taker, NULL, "a");
	settle();
	ct_level(ct_sem(&s), 0);
	go(taker, NULL, "b");
	settle();
	go(breaker, a, "breaker");
	return pub_end(SOME);
}
