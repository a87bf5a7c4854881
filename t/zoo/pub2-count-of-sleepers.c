/* pub2-count-of-sleepers.c - a count of sleeping threads is wrong, and a push wakes none of them.
 * expect: asleep-workers 1
 * After lewissbaker/cppcoro#114. Mended, the count is right. */
#include "pub.h"

static struct task *t;
static void work_once(void *arg)
{
	(void)arg;
	enter();
	block(ct_nothing(), 0, CT_HERE);
	leave();
}
static void enqueue(void)
{
	enter();
	ct_wake(t->id, ct_nothing());
	t->state = QUEUED;
	put(&outside, t);
	queued++;
	if (mended)
		ring_one();
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	t = go(work_once, NULL, "job");
	settle();
	enqueue();
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
