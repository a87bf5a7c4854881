/* pub4-select-forgotten.c - stop() wakes those who wait for it alone, and forgets who waits for it or for an item.
 * expect: ready-resource 1
 * After oven-sh/bun#34154's family: a wake of all that is one of some. Mended, it wakes both kinds. */
#include "pub.h"

static bool stopped;
static uint64_t items;
static struct wl plain, of_several, of_items;
static void selects(void *arg)
{
	(void)arg;
	enter();
	add_leg(self(), &of_items, ct_chan(&items));
	add_leg(self(), &of_several, ct_cond(&stopped));
	block_as(ANY_OF, ct_nothing(), 0, CT_HERE);
	leave();
}
static void waits(void *arg)
{
	(void)arg;
	enter();
	while (!stopped)
		wait_for(&plain, ct_cond(&stopped));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&items), 0);
	ct_level(ct_cond(&stopped), 0);
	leave();
	go(selects, NULL, "selects");
	go(waits, NULL, "waits");
	go(waits, NULL, "waits");
	settle();
	enter();
	stopped = true;
	ct_level(ct_cond(&stopped), 1);
	wake_all(&plain);
	if (mended)
		wake_all(&of_several);
	leave();
	return pub_end(SOME);
}
