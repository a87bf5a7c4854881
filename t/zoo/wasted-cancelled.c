/* wasted-cancelled.c - an item wakes a receiver that is cancelled before it runs; the other one is not told of the item.
 * expect: wasted-wake 1 */
#include "zoo.h"

static struct chan c;
static void receiver(void *arg) { chan_recv((struct chan *)arg); }

int main(int argc, char **argv)
{
	struct task *victim;

	zoo_start(argc, argv);
	victim = go(receiver, &c, "cancelled");
	settle();
	go(receiver, &c, "receiver");
	settle();
	enter();
	take_this(&c.waiting, victim);
	ct_level(ct_chan(&c), ++c.items);
	ct_wake(victim->id, victim->on);
	ct_destroy(&victim->ct, 0);
	leave();
	return zoo_end();
}
