/* ok-timers.c - deadlines far away, and one that is met.
 * expect: nothing proven */
#include "zoo.h"

static void sleeper(void *arg) { sleep_ms(*(long *)arg); }

int main(int argc, char **argv)
{
	static long ms[] = { 20, 60000, 3600000, 86400000 };

	zoo_start(argc, argv);
	for (int i = 0; i < 4; i++)
		go(sleeper, &ms[i], "sleeper");
	return zoo_end();
}
