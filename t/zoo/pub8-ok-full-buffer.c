/* pub8-ok-full-buffer.c - two put into a buffer with one condition for items and for room; it is full as the second comes.
 * nothing proven
 * Healthy: who takes is slow. The level told is of items, so it says nothing to who waits for room. */
#include "pub.h"

static struct { uint64_t n; struct wl wl; } b;
static volatile bool there, full;
static void puts_two(void *arg)
{
	if (arg) {
		there = true;
		while (!full)
			pause_ms(1);
	}
	for (int i = 0; i < 2; i++) {
		enter();
		while (b.n == 2)
			wait_for(&b.wl, ct_cond(&b));
		ct_level(ct_cond(&b), ++b.n);
		ct_notify(ct_cond(&b), wake_first(&b.wl) != NULL);
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_cond(&b), 0);
	leave();
	go(puts_two, &b, "second");
	while (!there)
		pause_ms(1);
	enter();			/* the first is a plain thread: this one */
	ct_level(ct_cond(&b), b.n = 1);
	ct_notify(ct_cond(&b), 0);
	ct_level(ct_cond(&b), b.n = 2);
	ct_notify(ct_cond(&b), 0);
	leave();
	full = true;
	return pub_end(SOME);
}
