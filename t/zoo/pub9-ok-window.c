/* pub9-ok-window.c - permits grow one by one, and who waits for them goes on when a window begins.
 * nothing: in order
 * Healthy: a fixed window that one alone fills and opens; it has four of eight. */
#include "pub.h"

enum { OPENS = 8 };
static struct { uint64_t n; struct wl in; } s;
static void calls(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		wait_for(&s.in, ct_sem(&s));
		ct_level(ct_sem(&s), --s.n);
		leave();
		sleep_ms(2);
	}
}
static void limits(void *arg)
{
	(void)arg;
	for (int i = 0;; i++) {
		enter();
		ct_level(ct_sem(&s), ++s.n);
		for (int k = 0; s.n >= OPENS && k < OPENS; k++)
			wake_first(&s.in);
		leave();
		sleep_ms(i < 2 * OPENS + 4 ? 4 : 60000);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&s), 0);
	leave();
	for (int i = 0; i < OPENS; i++)
		go(calls, NULL, "calls");
	settle();
	go(limits, NULL, "limits");
	pause_ms(150);
	return pub_end(SOME);
}
