/* pub-ok-cancel-passes.c - a getter is cancelled as an item wakes it; another takes it.
 * expect: nothing proven */
#include "pub.h"

static struct chan q = { .room = 4 };
static void getter(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!q.n && !self()->stop)
			wait_for(&q.out, ct_chan(&q));
		if (self()->stop) {
			self()->cancelled = true;
			if (q.n)
				wake_first(&q.out);
			leave();
			return;
		}
		ct_level(ct_chan(&q), --q.n);
		leave();
	}
}
static void giver(void *arg)
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
	go(getter, NULL, "c");
	settle();
	go(giver, a, "giver");
	return pub_end(SOME);
}
