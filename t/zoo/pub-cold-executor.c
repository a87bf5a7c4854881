/* pub-cold-executor.c - a task is put into the queue of an executor that sleeps, and nobody rings.
 * expect: asleep-workers 1
 * After lalinsky/zio#503. Mended, it is rung. */
#include "pub.h"

static struct task *sleeper;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	sleeper = self();
	block(ct_user("message"), 0, CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(waiter, NULL, "waiter");
	settle();
	pause_ms(20);
	enter();
	if (mended) {
		resume_with(sleeper, WOKEN, 0, ct_user("message"));
	} else {
		ct_wake(sleeper->id, ct_user("message"));
		sleeper->state = QUEUED;
		put(&worker[0].own, sleeper);
	}
	leave();
	pause_ms(SOME);
	return mended ? pub_end(0) : (stopping = true, 0);
}
