/* pub9-ok-paced.c - who sends waits for a leaky bucket: one goes on at each tick, whatever permits are there.
 * nothing: in order
 * Healthy: a pacer, as golang.org/x/time/rate's and TCP's; permits are let stand, and its next tick is far. */
#include "pub.h"

static struct { uint64_t n; struct wl in; } s;
static void sends(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		wait_for(&s.in, ct_sem(&s));
		ct_level(ct_sem(&s), --s.n);
		leave();
	}
}
static void refills(void *arg)
{
	(void)arg;
	for (int i = 0; i < 40; i++) {
		enter();
		if (s.n < 3)
			ct_level(ct_sem(&s), ++s.n);
		leave();
		sleep_ms(4);
	}
	sleep_ms(60000);
}
static void paces(void *arg)
{
	(void)arg;
	for (int i = 0;; i++) {
		sleep_ms(i < 8 ? 12 : 60000);
		enter();
		if (s.n)
			wake_first(&s.in);
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&s), 0);
	leave();
	for (int i = 0; i < 3; i++)
		go(sends, NULL, "sends");
	settle();
	go(refills, NULL, "refills");
	go(paces, NULL, "paces");
	pause_ms(200);
	return pub_end(SOME);
}
