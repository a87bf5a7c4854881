/* pub3-item-of-a-leg.c - a select that was woken for one channel is given the wake of the other, too, and takes the first.
 * expect: wasted-wake 1
 * After lalinsky/zio#701. Mended, it leaves the other's queue as it is woken. */
#include "pub.h"

static uint64_t x, y;
static struct wl in_x, in_y;
static struct task *chosen;
static void selects(void *arg)
{
	(void)arg;
	enter();
	add_leg(self(), &in_x, ct_chan(&x));
	add_leg(self(), &in_y, ct_chan(&y));
	block_as(ANY_OF, ct_nothing(), 0, CT_HERE);
	ct_level(ct_chan(&x), --x);
	leave();
}
static void receives(void *arg)
{
	(void)arg;
	enter();
	while (!y)
		wait_for(&in_y, ct_chan(&y));
	ct_level(ct_chan(&y), --y);
	leave();
}
static void sends(void *arg)
{
	(void)arg;
	enter();
	ct_level(ct_chan(&x), ++x);
	wake_first(&in_x);
	ct_level(ct_chan(&y), ++y);
	if (mended)
		wake_first(&in_y);
	else
		ct_wake(chosen->id, ct_chan(&y));	/* its entry is there still */
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&x), 0);
	ct_level(ct_chan(&y), 0);
	leave();
	chosen = go(selects, NULL, "selects");
	settle();
	go(receives, NULL, "receives");
	settle();
	go(sends, NULL, "sends");
	return pub_end(SOME);
}
