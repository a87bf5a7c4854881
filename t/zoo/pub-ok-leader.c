/* pub-ok-leader.c - all but one wait for a lock for ever: who has it leads, and beats.
 * expect: nothing proven */
#include "pub.h"

static struct lock l;
static void candidate(void *arg)
{
	(void)arg;
	lock_get(&l);
	for (;;)
		sleep_ms(20);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 5; i++)
		go(candidate, NULL, "candidate");
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
