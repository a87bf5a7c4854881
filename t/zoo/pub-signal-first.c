/* pub-signal-first.c - the signal came before anybody waited, and is not kept.
 * expect: nothing proven; hint: missed-wake 1
 * After moby/moby#29733. Mended, it is kept. */
#include "pub.h"

static struct cond c;
static bool fired;
static void early(void *arg)
{
	(void)arg;
	enter();
	fired = true;
	ct_notify(ct_cond(&c), wake_first(&c.wl) != NULL);
	leave();
}
static void late(void *arg)
{
	(void)arg;
	enter();
	if (!(mended && fired))
		wait_for(&c.wl, ct_cond(&c));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(early, NULL, "early");
	settle();
	go(late, NULL, "late");
	return pub_end(SOME);
}
