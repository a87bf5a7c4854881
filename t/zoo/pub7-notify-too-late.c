/* pub7-notify-too-late.c - it is so, one comes to wait for it, and the notify finds nobody: the waiter is not in the list yet.
 * expect: missed-wake 1
 * After containerd/ttrpc-rust#227. Mended, it stands in the list before it says that it waits. */
#include "pub.h"

static struct { bool is; struct wl wl; } c;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	while (!(c.is && mended)) {
		struct wl nowhere = { NULL };

		add_leg(self(), mended ? &c.wl : &nowhere, ct_cond(&c));
		block(ct_cond(&c), 0, CT_HERE);
	}
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_cond(&c), 0);
	enter();
	c.is = true;
	ct_level(ct_cond(&c), 1);
	leave();
	go(waiter, NULL, "waiter");
	settle();
	enter();
	ct_notify(ct_cond(&c), wake_first(&c.wl) != NULL);
	leave();
	return pub_end(SOME);
}
