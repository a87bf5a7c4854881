/* pub7-ok-one-leg-lives.c - they wait for a future whose only producer has failed, or for something else, which may come.
 * nothing proven
 * Healthy: one has a time limit, one a channel whose sender sleeps, one a lock that somebody keeps for long. */
#include "pub.h"

static struct wl future, items, lock;
static struct ct_on other[3];
static struct wl *list[3] = { NULL, &items, &lock };
static void fails(void *arg)
{
	(void)arg;
	enter();
	ct_acquire(ct_cond(&future));
	leave();
	sleep_ms(20);
}
static void has_both(void *arg)
{
	(void)arg;
	enter();
	ct_acquire(ct_chan(&items));
	ct_acquire(ct_mutex(&lock));
	leave();
	sleep_ms(60000);
}
static void waits(void *arg)
{
	long n = (long)arg;

	enter();
	add_leg(self(), &future, ct_cond(&future));
	if (list[n])
		add_leg(self(), list[n], other[n]);
	block_as(ANY_OF, ct_nothing(), n ? 0 : now() + 60000000000ull, CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	other[1] = ct_chan(&items);
	other[2] = ct_mutex(&lock);
	ct_level(ct_cond(&future), 0);
	ct_level(ct_chan(&items), 0);
	go(fails, NULL, "fails");
	go(has_both, NULL, "has both");
	for (long n = 0; n < 3; n++)
		go(waits, (void *)n, "waits");
	return pub_end(SOME);
}
