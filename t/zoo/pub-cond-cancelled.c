/* pub-cond-cancelled.c - a condition's notify goes to one that is cancelled as it wakes.
 * expect: nothing proven; suspected: wasted-wake 1
 * After python/cpython#112202. Mended, it notifies another. */
#include "pub.h"

static struct lock l;
static struct cond c;
static int work_left;
static void waiter(void *arg)
{
	(void)arg;
	lock_get(&l);
	while (!work_left && !self()->stop)
		cond_wait(&c, &l);
	if (self()->stop)
		self()->cancelled = true;
	else
		work_left--;
	lock_put(&l);
	if (mended && self()->stop)
		cond_signal(&c);
}
static void giver(void *arg)
{
	lock_get(&l);
	work_left++;
	lock_put(&l);
	enter();
	ct_notify(ct_cond(&c), wake_first(&c.wl) != NULL);
	((struct task *)arg)->stop = true;
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *a = go(waiter, NULL, "a");
	settle();
	go(waiter, NULL, "b");
	settle();
	go(giver, a, "giver");
	return pub_end(SOME);
}
