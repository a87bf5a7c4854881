/* ready-chan.c - an item is put into a channel and its receiver is not woken.
 * expect: ready-resource 1 */
#include "zoo.h"

static struct chan c;
static void receiver(void *arg) { chan_recv((struct chan *)arg); }
static void sender(void *arg)
{
	enter();
	ct_level(ct_chan(arg), ++c.items);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	go(receiver, &c, "receiver");
	settle();
	go(sender, &c, "sender");
	return zoo_end();
}
