/* asleep-signal.c - a plain thread queues a task and forgets to wake a worker.
 * expect: asleep-workers 1 */
#include "zoo.h"

static struct chan c;
static void receiver(void *arg) { chan_recv((struct chan *)arg); }
static void *sender(void *arg)
{
	struct task *t;

	enter();
	t = take(&c.waiting);
	ct_wake(t->id, t->on);
	put(&ready, t);
	leave();
	return arg;
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(receiver, &c, "receiver");
	settle();
	elsewhere(sender, NULL);
	return zoo_stop(300);
}
