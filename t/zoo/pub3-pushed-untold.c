/* pub3-pushed-untold.c - a thread outside pushes tasks, and none of the workers, who sleep, is told.
 * expect: asleep-workers 3
 * After boostorg/fiber#327. Mended, one is told for each. */
#include "pub.h"

static void job(void *arg)
{
	(void)arg;
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	settle();
	for (int i = 0; i < 3; i++) {
		struct task *t = make(job, NULL, "job");

		enter();
		ct_wake(t->id, ct_nothing());
		if (mended) {
			push(t);
		} else {
			t->state = QUEUED;
			put(&outside, t);
		}
		leave();
	}
	pause_ms(SOME);
	return 0;
}
