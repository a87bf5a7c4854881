/* pub-timer-earlier.c - a timer is reset to an earlier time, and the wheel still has the old one.
 * expect: nothing proven; suspected: ready-resource 1
 * After tokio-rs/tokio#849. Mended, the wheel has the new one. */
#include "pub.h"

static struct task *sleeper;
static void sleeps(void *arg)
{
	(void)arg;
	sleep_ms(100000);
}
static void reset(void *arg)
{
	(void)arg;
	enter();
	ct_deadline(sleeper->id, now() + 20 * 1000000);
	if (mended)
		sleeper->deadline = now() + 20 * 1000000;
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	sleeper = go(sleeps, NULL, "sleeper");
	settle();
	go(reset, NULL, "reset");
	return pub_end(SOME);
}
