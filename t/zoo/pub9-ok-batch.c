/* pub9-ok-batch.c - one waits for a batch of eight; three are there, and the next come slowly.
 * nothing: in order
 * Healthy: drainers that are woken when a batch is full, as of logs and metrics. */
#include "pub.h"

enum { BATCH = 8 };
static struct q { uint64_t n; struct wl full; } q[2];
static void drains(void *arg)
{
	struct q *of = arg;

	for (;;) {
		enter();
		while (of->n < BATCH)
			wait_for(&of->full, ct_chan(of));
		ct_level(ct_chan(of), of->n -= BATCH);
		leave();
	}
}
static void writes(void *arg)
{
	struct q *of = arg;

	for (int i = 0; i < 2 * BATCH + 3; i++) {
		enter();
		ct_level(ct_chan(of), ++of->n);
		if (of->n == BATCH)
			wake_first(&of->full);
		leave();
		sleep_ms(2);
	}
	for (;;) {
		enter();
		ct_level(ct_chan(of), of->n);
		leave();
		sleep_ms(of == q ? 60000 : 20);	/* the other's is told again and again */
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	for (int i = 0; i < 2; i++)
		ct_level(ct_chan(q + i), 0);
	leave();
	for (int i = 0; i < 2; i++) {
		go(drains, q + i, "drains");
		settle();
		go(writes, q + i, "writes");
	}
	pause_ms(120);
	return pub_end(SOME);
}
