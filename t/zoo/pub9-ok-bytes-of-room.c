/* pub9-ok-bytes-of-room.c - writers want room for two bytes and for ten, of sixteen; four are free.
 * nothing: in order
 * Healthy: a pipe whose reader is slow; who wants two went on with less than is free. */
#include "pub.h"

enum { SIZE = 16 };
static struct { uint64_t n; struct wl in[2]; } c = { .n = 0 };
static void tell(void)
{
	ct_level(ct_chan(&c), c.n);
	ct_level(ct_room(&c), SIZE - c.n);
}
static void writes(void *arg)
{
	uint64_t k = arg ? 10 : 2;

	for (int i = 0; i < 12; i++) {
		enter();
		while (SIZE - c.n < k)
			wait_for(&c.in[k == 10], ct_room(&c));
		c.n += k;
		tell();
		leave();
		if (!arg)
			sleep_ms(1);
	}
	sleep_ms(60000);
}
static void reads(void *arg)
{
	(void)arg;
	sleep_ms(30);
	for (int i = 0; i < 6; i++) {
		enter();
		c.n -= c.n < 2 ? c.n : 2;
		tell();
		if (SIZE - c.n >= 10)
			wake_first(&c.in[1]);
		else if (SIZE - c.n >= 2)
			wake_first(&c.in[0]);
		leave();
		sleep_ms(4);
	}
	enter();
	c.n = 12;
	tell();
	leave();
	sleep_ms(60000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	tell();
	leave();
	go(writes, NULL, "writes");
	settle();
	go(reads, NULL, "reads");
	pause_ms(40);
	go(writes, &c, "writes much");
	pause_ms(60);
	return pub_end(SOME);
}
