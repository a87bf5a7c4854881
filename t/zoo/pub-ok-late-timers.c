/* pub-ok-late-timers.c - timers come late behind a call that blocks every worker.
 * expect: nothing proven */
#include "pub.h"

static void blocker(void *arg)
{
	(void)arg;
	pause_ms(350);
}
static void sleeper(void *arg)
{
	(void)arg;
	sleep_ms(20);
	sleep_ms(100000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 10; i++)
		go(sleeper, NULL, "sleeper");
	settle();
	for (int i = 0; i < workers; i++)
		go(blocker, NULL, "blocker");
	return pub_end(50);
}
