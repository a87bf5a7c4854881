/* pub9-ok-frames.c - whoever has something to take goes on at the next frame, five of which come a second.
 * nothing: in order
 * Healthy: coroutines of a game's loop. A frame wakes all for whom something came since the last. */
#include "pub.h"

static struct { uint64_t n; struct wl in; } q;
static void takes(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!q.n)
			wait_for(&q.in, ct_chan(&q));
		ct_level(ct_chan(&q), --q.n);
		leave();
	}
}
static void puts_some(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		ct_level(ct_chan(&q), ++q.n);
		leave();
		sleep_ms(310);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&q), 0);
	leave();
	go(takes, NULL, "takes");
	settle();
	go(puts_some, NULL, "puts");
	for (int i = 0; i < 3; i++) {
		pause_ms(200);
		enter();
		while (q.n && wake_first(&q.in))
			;
		leave();
	}
	return pub_end(150);
}
