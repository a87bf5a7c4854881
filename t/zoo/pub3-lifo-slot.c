/* pub3-lifo-slot.c - what a worker that computes has made runnable stands in a slot of its own, and the other sleeps on.
 * expect: nothing proven; hint: asleep-workers 1
 * After tokio-rs/tokio#4941. Mended, it is put where others look. */
#include "pub.h"

static struct task *job;
static void run_job(void *arg)
{
	(void)arg;
	enter();
	block(ct_nothing(), 0, CT_HERE);
	leave();
}
static void computes(void *arg)
{
	(void)arg;
	enter();
	if (mended) {
		resume_with(job, WOKEN, -1, ct_nothing());
	} else {
		ct_wake(job->id, ct_nothing());
		job->state = QUEUED;
	}
	leave();
	pause_ms(10000);
}

int main(int argc, char **argv)
{
	char *two[] = { argv[0], "2", argc > 2 ? argv[2] : "bug", NULL };

	pub_start(3, two);
	job = go(run_job, NULL, "job");
	settle();
	go(computes, NULL, "computes");
	pause_ms(2 * SOME);
	return 0;
}
