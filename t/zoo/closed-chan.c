/* closed-chan.c - a channel is closed and only one of its three receivers is told.
 * expect: closed-resource 2 */
#include "zoo.h"

static struct chan c;
static void receiver(void *arg) { chan_recv((struct chan *)arg); }
static void closer(void *arg)
{
	enter();
	c.closed = true;
	ct_close(ct_chan(arg));
	wake_one(&c.waiting);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 3; i++)
		go(receiver, &c, "receiver");
	settle();
	go(closer, &c, "closer");
	return zoo_end();
}
