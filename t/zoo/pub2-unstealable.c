/* pub2-unstealable.c - what a worker that is stuck in a poll has in its queue, nobody steals, though others are idle.
 * expect: nothing proven; suspected: dropped-wake 1
 * After getkyo/kyo#1959. Mended, it is put where others look. */
#include "pub.h"

static struct task *job;
static void run_job(void *arg)
{
	(void)arg;
	enter();
	block(ct_nothing(), 0, CT_HERE);
	leave();
}
static void stall(void *arg)
{
	(void)arg;
	enter();
	if (mended) {
		resume_with(job, WOKEN, -1, ct_nothing());
	} else {
		ct_wake(job->id, ct_nothing());	/* its own queue, which is not shared */
		job->state = QUEUED;
	}
	leave();
	pause_ms(400);
}
static void other(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++)
		sleep_ms(20);
}

int main(int argc, char **argv)
{
	char *two[] = { argv[0], "2", argc > 2 ? argv[2] : "bug", NULL };

	pub_start(3, two);
	job = go(run_job, NULL, "job");
	settle();
	go(stall, NULL, "stall");
	pause_ms(20);
	go(other, NULL, "other");
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
