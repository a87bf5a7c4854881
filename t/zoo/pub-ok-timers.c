/* pub-ok-timers.c - short timers come and go, and one is long.
 * expect: nothing proven */
#include "pub.h"

static void sleeper(void *arg)
{
	for (int i = 0; i < 4; i++)
		sleep_ms((long)arg);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 10; i++)
		go(sleeper, (void *)5, "short");
	go(sleeper, (void *)3600000, "long");
	pause_ms(60);
	return pub_end(SOME);
}
