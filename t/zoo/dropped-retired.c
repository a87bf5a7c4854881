/* dropped-retired.c - a worker retires, and nobody takes over what is in its queue.
 * expect: dropped-wake 2 */
#include "zoo.h"

static struct waiters its_queue;
static void nothing(void *arg) { (void)arg; }
static void *retiring(void *arg)
{
	ct_thread(CT_WORKER, "retiring");
	ct_park(0);
	pause_ms(1);
	ct_unpark(0);
	enter();
	for (int i = 0; i < 2; i++) {
		struct task *t = spawn(nothing, arg, "queued");

		ct_wake(t->id, ct_nothing());
		put(&its_queue, t);
	}
	leave();
	return NULL;
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	elsewhere(retiring, NULL);
	for (int i = 0; i < 20; i++) {
		go(nothing, NULL, "other");	/* the others go on, and find no more than this */
		settle();
	}
	return zoo_end();
}
