/* pub9-ok-standby.c - one consumer of a queue is active, the other stands by; the active one has a long job now.
 * nothing: in order
 * After RabbitMQ's single active consumer: what comes meanwhile waits for it, whoever else does. */
#include "pub.h"

static struct { uint64_t n; struct task *active; struct wl idle; } q;
static bool active_waits;
static void consumer(void *arg)
{
	(void)arg;
	for (int i = 0;; i++) {
		enter();
		if (!q.active)
			q.active = self();
		while (!q.n || q.active != self()) {
			active_waits |= q.active == self();
			wait_for(&q.idle, ct_chan(&q));
		}
		ct_level(ct_chan(&q), --q.n);
		leave();
		sleep_ms(i < 4 ? 3 : 60000);
	}
}
static void sends(void *arg)
{
	(void)arg;
	for (int i = 0; i < 7; i++) {
		enter();
		ct_level(ct_chan(&q), ++q.n);
		if (active_waits) {
			active_waits = false;
			resume_with(q.active, WOKEN, 0, ct_chan(&q));
		}
		leave();
		sleep_ms(10);
	}
	sleep_ms(60000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&q), 0);
	leave();
	for (int i = 0; i < 2; i++) {
		go(consumer, NULL, "consumer");
		settle();
	}
	go(sends, NULL, "sends");
	pause_ms(150);
	return pub_end(SOME);
}
