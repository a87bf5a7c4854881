/* pub7-ok-other-receiver.c - a sender waits for room; the one that took from its channel before joins it now.
 * nothing proven
 * Healthy: another receiver, which has not taken yet, is asleep and will. Who may receive is in no line. */
#include "pub.h"

static struct { uint64_t n; struct wl in, out; } c;	/* room for one */
static void tell(void)
{
	ct_level(ct_chan(&c), c.n);
	ct_level(ct_room(&c), 1 - c.n);
}
static void take_one(void)
{
	enter();
	while (!c.n)
		wait_for(&c.out, ct_chan(&c));
	c.n--;
	tell();
	wake_first(&c.in);
	leave();
}
static void sends(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++) {
		enter();
		while (c.n)
			wait_for(&c.in, ct_room(&c));
		c.n++;
		tell();
		wake_first(&c.out);
		leave();
	}
}
static void takes_and_joins(void *sender)
{
	take_one();
	join(sender);
}
static void takes_later(void *arg)
{
	(void)arg;
	sleep_ms(60000);
	take_one();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	tell();
	leave();
	go(takes_later, NULL, "takes later");
	go(takes_and_joins, go(sends, NULL, "sends"), "takes and joins");
	return pub_end(SOME);
}
