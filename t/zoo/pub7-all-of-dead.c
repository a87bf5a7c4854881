/* pub7-all-of-dead.c - one awaits all of a timer's task, which sleeps yet, and a future whose only producer has failed.
 * expect: dead-owner 1
 * After python/cpython's gather over a future that nobody completes. Mended, who fails completes it with an error. */
#include "pub.h"

static struct wl future;
static bool done;
static struct task *sleeper;
static void sleeps(void *arg)
{
	(void)arg;
	sleep_ms(60000);
}
static void produces(void *arg)
{
	(void)arg;
	enter();
	ct_acquire(ct_cond(&future));			/* it alone completes it */
	leave();
	sleep_ms(20);
	if (!mended)
		return;
	enter();
	done = true;
	ct_level(ct_cond(&future), 1);
	ct_release(ct_cond(&future));
	leave();
}
static void gathers(void *arg)
{
	(void)arg;
	enter();
	add_leg(self(), &sleeper->joiners, ct_join(sleeper->id));
	add_leg(self(), &future, ct_cond(&future));
	block_as(ALL_OF, ct_nothing(), 0, CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_cond(&future), 0);
	sleeper = go(sleeps, NULL, "sleeps");
	go(produces, NULL, "produces");
	go(gathers, NULL, "gathers");
	return pub_end(SOME);
}
