/* dropped-wrap.c - a run queue of eight that forgets what is pushed where it wraps.
 * expect: dropped-wake 1 */
#include "zoo.h"

static struct chan c;
static int pushes;
static void receiver(void *arg) { chan_recv((struct chan *)arg); }
static void sender(void *arg)
{
	(void)arg;
	enter();
	while (c.waiting.first) {
		struct task *t = take(&c.waiting);

		ct_level(ct_chan(&c), ++c.items);
		ct_wake(t->id, t->on);
		if (++pushes % 8)
			push(t);
	}
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 10; i++)
		go(receiver, &c, "receiver");
	settle();
	go(sender, NULL, "sender");
	return zoo_end();
}
