/* pub3-ok-busy-consumer.c - a consumer computes for each item; those that come meanwhile are notified of, and wake nobody.
 * expect: nothing proven */
#include "pub.h"

static struct { int n; struct cond more; } q;
static void consumer(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!q.n)
			wait_for(&q.more.wl, ct_cond(&q.more));
		q.n--;
		leave();
		pause_ms(10);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(consumer, NULL, "consumer");
	settle();
	for (int i = 0; i < 5; i++) {
		enter();
		q.n++;
		leave();
		cond_signal(&q.more);
		pause_ms(2);
	}
	return pub_end(SOME);
}
