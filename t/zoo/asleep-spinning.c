/* asleep-spinning.c - a signal is saved where a worker is said to look for work already; that one is long asleep.
 * expect: asleep-workers 2 */
#include "zoo.h"

static bool spinning = true;		/* never reset by the worker that was */
static struct chan c;
static void receiver(void *arg) { chan_recv((struct chan *)arg); }
static void *sender(void *arg)
{
	enter();
	for (struct task *t; (t = take(&c.waiting));) {
		ct_level(ct_chan(&c), ++c.items);
		ct_wake(t->id, t->on);
		put(&ready, t);
		if (!spinning)
			queued++, pthread_cond_signal(&work);
	}
	leave();
	return arg;
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(receiver, &c, "receiver");
	go(receiver, &c, "receiver");
	settle();
	elsewhere(sender, NULL);
	return zoo_end();
}
