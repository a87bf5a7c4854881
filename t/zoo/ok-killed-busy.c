/* ok-killed-busy.c - killed while all workers compute, most of the woken have yet to run and locks are held.
 * expect: nothing proven */
#include "zoo.h"

#include <signal.h>

static struct lock l;
static void compute(void *arg)
{
	(void)arg;
	for (;;) {
		lock_take(&l);
		for (uint64_t until = now() + 2000000; now() < until;)
			;
		lock_give(&l);
		yield();
	}
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 30; i++)
		go(compute, NULL, "compute");
	pause_ms(250);
	return raise(SIGKILL) + zoo_stop(0);
}
