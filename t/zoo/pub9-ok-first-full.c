/* pub9-ok-first-full.c - two put into a buffer, one takes; items and room are waited for at one condition, at one line.
 * nothing proven
 * Healthy: the buffer is full for the first time, and who takes is slow. */
#include "pub.h"

static struct { uint64_t n; struct wl wl; } b;
static void wait_here(void) { wait_for(&b.wl, ct_cond(&b)); }
static void changed(uint64_t n)
{
	uint64_t woken = 0;

	ct_level(ct_cond(&b), b.n = n);
	while (wake_first(&b.wl))
		woken++;
	ct_notify(ct_cond(&b), woken);
}
static void puts_some(void *arg)
{
	for (int i = 0; i < 20; i++) {
		enter();
		while (b.n == 3)
			wait_here();
		changed(b.n + 1);
		leave();
		if (!i && arg)
			sleep_ms(20);	/* it is taken */
	}
}
static void takes(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!b.n)
			wait_here();
		changed(b.n - 1);
		leave();
		sleep_ms(30000);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_cond(&b), 0);
	leave();
	go(takes, NULL, "takes");
	settle();
	go(puts_some, &b, "first");
	pause_ms(60);
	settle();
	go(puts_some, NULL, "second");
	pause_ms(150);
	return pub_end(SOME);
}
