/* pub2-ok-closed-channel.c - senders go, the channel is closed, and all who waited are woken; one subscribes anew.
 * expect: nothing proven */
#include "pub.h"

static struct chan c = { .room = 2 }, d = { .room = 2 };
static void receiver(void *arg)
{
	struct chan *of = arg;

	while (chan_get(of))
		;
}
static void sender(void *arg)
{
	struct chan *to = arg;

	chan_put(to);
	chan_put(to);
	chan_close(to);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 3; i++)
		go(receiver, &c, "receiver");
	settle();
	go(sender, &c, "sender");
	settle();
	go(receiver, &d, "subscriber");
	return pub_end(SOME);
}
