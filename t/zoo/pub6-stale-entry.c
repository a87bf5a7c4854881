/* pub6-stale-entry.c - a sender that went on with something else stays first in the channel's list, and is told of the room.
 * expect: wasted-wake 1
 * After smol-rs/async-channel#45 and google/marl#59. Mended, it takes itself out of the list. */
#include "pub.h"

static struct { int n; struct wl in; } c = { .n = 1 };
static struct { struct wl wl; } hang_up, later;
static void loses_interest(void *entry)
{
	enter();
	add_leg(self(), &c.in, ct_room(&c));
	add_leg(self(), &hang_up.wl, ct_cond(&hang_up));
	block_as(ANY_OF, ct_nothing(), 0, CT_HERE);
	if (!mended) {			/* its entry stands there still */
		struct leg *l = entry;

		*l = (struct leg){ c.in.first, self(), &c.in, ct_room(&c) };
		c.in.first = l;
	}
	for (;;)
		wait_for(&later.wl, ct_cond(&later));
}
static void sends(void *arg)
{
	(void)arg;
	enter();
	while (c.n)
		wait_for(&c.in, ct_room(&c));
	c.n++;
	ct_level(ct_room(&c), 0);
	leave();
}
static void receives(void *arg)
{
	struct leg *l;

	(void)arg;
	enter();
	c.n = 0;
	ct_level(ct_room(&c), 1);
	if ((l = c.in.first)) {
		c.in.first = l->next;
		resume_with(l->task, WOKEN, 0, l->on);
	}
	leave();
}

int main(int argc, char **argv)
{
	static struct leg entry;

	pub_start(argc, argv);
	enter();
	ct_level(ct_room(&c), 0);
	leave();
	go(loses_interest, &entry, "loses interest");
	settle();
	enter();
	wake_first(&hang_up.wl);
	leave();
	settle();
	go(sends, NULL, "sends");
	settle();
	go(receives, NULL, "receives");
	return pub_end(SOME);
}
