/* ok-slow-queue.c - a queue that is long to the end: tasks woken long ago have not had their turn.
 * expect: nothing proven */
#include "zoo.h"

static void slow(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		pause_ms(4);
		yield();
	}
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 400; i++)
		go(slow, NULL, "slow");
	return zoo_stop(300);
}
