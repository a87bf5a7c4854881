/* pub9-ok-backlog.c - of three that take from a queue a second one is woken only when eight jobs have come together.
 * nothing: in order
 * Healthy: pools that grow with their backlog. It did once; now the first keeps the queue short, though never empty. */
#include "pub.h"

enum { MANY = 8 };
static struct { uint64_t n; int at_work; struct wl idle; } q;
static void hand(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!q.n) {
			q.at_work -= self()->scratch != NULL;
			self()->scratch = &q;
			wait_for(&q.idle, ct_chan(&q));
		}
		ct_level(ct_chan(&q), --q.n);
		leave();
		sleep_ms(3);
	}
}
static void push_job(void)
{
	enter();
	ct_level(ct_chan(&q), ++q.n);
	if ((!q.at_work || q.n >= MANY) && wake_first(&q.idle))
		q.at_work++;
	leave();
}
static void source(void *arg)
{
	(void)arg;
	for (int i = 0; i < 9; i++)
		push_job();
	sleep_ms(80);
	push_job();
	for (;;) {
		push_job();
		sleep_ms(3);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&q), 0);
	leave();
	for (int i = 0; i < 3; i++) {
		go(hand, NULL, "hand");
		settle();
	}
	go(source, NULL, "source");
	pause_ms(150);
	return pub_end(SOME);
}
