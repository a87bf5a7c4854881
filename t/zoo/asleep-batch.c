/* asleep-batch.c - a reactor queues three tasks and signals once, but to a condition that no worker waits on.
 * expect: asleep-workers 3 */
#include "zoo.h"

static struct chan c;
static pthread_cond_t other = PTHREAD_COND_INITIALIZER;
static void receiver(void *arg) { chan_recv((struct chan *)arg); }
static void *batch(void *arg)
{
	enter();
	for (struct task *t; (t = take(&c.waiting));) {
		ct_wake(t->id, t->on);
		put(&ready, t);
		queued++;
	}
	pthread_cond_signal(&other);
	leave();
	return arg;
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 3; i++)
		go(receiver, &c, "receiver");
	settle();
	elsewhere(batch, NULL);
	pause_ms(350);
	_exit(0);
}
