/* pub3-ok-spurious-notify.c - a heartbeat notifies all the time, of nothing as a rule; consumers look, and wait on.
 * expect: nothing proven */
#include "pub.h"

static struct { int n; struct cond more; } q;
static void consumer(void *arg)
{
	(void)arg;
	enter();
	for (int taken = 0; taken < 5; taken++) {
		while (!q.n)
			wait_for(&q.more.wl, ct_cond(&q.more));
		q.n--;
	}
	leave();
}
static void heart(void *arg)
{
	(void)arg;
	for (int i = 0; i < 36; i++) {
		sleep_ms(2);
		enter();
		q.n += i >= 30;
		leave();
		cond_signal(&q.more);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(heart, NULL, "heart");
	go(consumer, NULL, "consumer");
	go(consumer, NULL, "consumer");
	pause_ms(150);
	return pub_end(SOME);
}
