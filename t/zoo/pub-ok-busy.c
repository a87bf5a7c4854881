/* pub-ok-busy.c - all workers compute while others wait to run.
 * expect: nothing proven */
#include "pub.h"

static volatile unsigned long sink;
static void compute(void *arg)
{
	uint64_t until = now() + 400000000;

	(void)arg;
	while (now() < until)
		sink++;
}
static void small(void *arg)
{
	(void)arg;
	sleep_ms(10);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < workers; i++)
		go(compute, NULL, "compute");
	for (int i = 0; i < 10; i++)
		go(small, NULL, "small");
	pause_ms(SOME);
	enter();
	stopping = true;
	for (int i = 0; i < workers; i++)
		pthread_cond_broadcast(&worker[i].bell);
	leave();
	for (int i = 0; i < workers; i++)
		pthread_join(worker[i].thread, NULL);
	return 0;
}
