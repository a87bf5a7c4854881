/* pub9-ok-linger.c - who waits for items is woken by one that lets some come together first, as its time has come.
 * nothing: in order
 * Healthy: a linger time, as Kafka's producer has; the present one is long. */
#include "pub.h"

static struct { uint64_t n; struct wl in; } q;
static void drains(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!q.n)
			wait_for(&q.in, ct_chan(&q));
		while (q.n)
			ct_level(ct_chan(&q), --q.n);
		leave();
	}
}
static void lingers(void *arg)
{
	(void)arg;
	for (int i = 0;; i++) {
		sleep_ms(i < 4 ? 20 : 60000);
		enter();
		if (q.n)
			wake_first(&q.in);
		leave();
	}
}
static void writes(void *arg)
{
	(void)arg;
	for (int i = 0; i < 30; i++) {
		enter();
		ct_level(ct_chan(&q), ++q.n);
		leave();
		sleep_ms(5);
	}
	sleep_ms(60000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&q), 0);
	leave();
	go(drains, NULL, "drains");
	settle();
	go(lingers, NULL, "lingers");
	go(writes, NULL, "writes");
	pause_ms(200);
	return pub_end(SOME);
}
