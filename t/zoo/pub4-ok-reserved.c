/* pub4-ok-reserved.c - one permit is kept for the important; the others wait while it is free.
 * nothing: in order
 * After the reserved connections of databases and pools: a permit that is there is not there for everybody. */
#include "pub.h"

static uint64_t n = 3;
static struct wl wl;
static bool get(bool important)
{
	bool had;

	enter();
	had = n > (important ? 0 : 1);
	if (!had && !important)
		wait_for(&wl, ct_sem(&n));
	else
		ct_level(ct_sem(&n), --n);
	leave();
	return had;
}
static void put_back(void)
{
	enter();
	ct_level(ct_sem(&n), ++n);
	if (n > 1 && wake_first(&wl))
		ct_level(ct_sem(&n), --n);
	leave();
}
static void brief(void *arg)
{
	get(arg);
	put_back();
}
static void lasts(void *arg)
{
	get(arg);
	sleep_ms(60000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&n), n);
	leave();
	for (int i = 0; i < 4; i++)
		go(brief, NULL, "brief");
	settle();
	go(lasts, NULL, "lasts");
	go(lasts, NULL, "lasts");
	settle();
	for (int i = 0; i < 3; i++)
		go(brief, NULL, "waits");
	settle();
	for (int i = 0; i < 3; i++) {
		go(brief, &n, "important");
		settle();
	}
	return pub_end(SOME);
}
