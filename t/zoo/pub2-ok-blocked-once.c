/* pub2-ok-blocked-once.c - all workers block for a while, and go on; timers fire late.
 * expect: nothing proven */
#include "pub.h"

static void blocker(void *arg)
{
	(void)arg;
	pause_ms(250);
}
static void sleeper(void *arg)
{
	(void)arg;
	sleep_ms(20);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 10; i++)
		go(sleeper, NULL, "sleeper");
	settle();
	for (int i = 0; i < workers; i++)
		go(blocker, NULL, "blocker");
	pause_ms(300);
	return pub_end(SOME);
}
