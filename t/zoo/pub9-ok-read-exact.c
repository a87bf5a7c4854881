/* pub9-ok-read-exact.c - one reads messages of eight bytes from a stream, of which five have come.
 * nothing: in order
 * Healthy: the level counts bytes, and the rest is on its way. Earlier ones came whole, or in two parts. */
#include "pub.h"

enum { SIZE = 8 };
static struct c { uint64_t n; struct wl in; } c[2];
static void reads(void *arg)
{
	struct c *of = arg;

	for (;;) {
		enter();
		while (of->n < SIZE)
			wait_for(&of->in, ct_chan(of));
		ct_level(ct_chan(of), of->n -= SIZE);
		leave();
	}
}
static void comes(struct c *of, uint64_t bytes)
{
	enter();
	ct_level(ct_chan(of), of->n += bytes);
	if (of->n >= SIZE)
		wake_first(&of->in);
	leave();
}
static void writes(void *arg)
{
	struct c *of = arg;

	for (int i = 0; i < 3; i++) {
		comes(of, SIZE);
		sleep_ms(3);
	}
	for (int i = 0; of != c && i < 2; i++) {
		comes(of, 3);
		sleep_ms(3);
		comes(of, 5);
		sleep_ms(3);
	}
	comes(of, 5);
	sleep_ms(60000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	for (int i = 0; i < 2; i++)
		ct_level(ct_chan(c + i), 0);
	leave();
	for (int i = 0; i < 2; i++) {
		go(reads, c + i, "reads");
		settle();
		go(writes, c + i, "writes");
	}
	pause_ms(60);
	return pub_end(SOME);
}
