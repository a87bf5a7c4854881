/* pub-woken-other.c - an item wakes one that then takes another, and its next waiter is not woken.
 * expect: wasted-wake 1
 * After the lost wake of python/cpython#90155. Mended, it passes the wake on. */
#include "pub.h"

static struct chan a = { .room = 4 }, b = { .room = 4 };
static void either(void *arg)
{
	(void)arg;
	enter();
	while (!a.n && !b.n) {
		add_leg(self(), &a.out, ct_chan(&a));
		add_leg(self(), &b.out, ct_chan(&b));
		block(ct_any(CT_ON_CHAN), 0, CT_HERE);
	}
	if (b.n)
		ct_level(ct_chan(&b), --b.n);
	if (mended && a.n)
		wake_first(&a.out);
	leave();
}
static void only(void *arg)
{
	(void)arg;
	chan_get(&a);
}
static void giver(void *arg)
{
	(void)arg;
	enter();
	ct_level(ct_chan(&a), ++a.n);
	wake_first(&a.out);
	ct_level(ct_chan(&b), ++b.n);
	wake_first(&b.out);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_chan(&a), 0);
	go(either, NULL, "either");
	settle();
	go(only, NULL, "only");
	settle();
	go(giver, NULL, "giver");
	return pub_end(SOME);
}
