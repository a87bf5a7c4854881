/* pub7-ok-reply-passed-on.c - who was to send the replies has passed one on to another before it ended, and one has two senders.
 * nothing proven
 * Healthy: the other is slow. No level of either is ever told. */
#include "pub.h"

static struct wl reply[2];
static void slow(void *arg)
{
	(void)arg;
	enter();
	ct_acquire(ct_chan(&reply[1]));
	leave();
	sleep_ms(60000);
}
static void first(void *arg)
{
	struct task *to = arg;

	enter();
	ct_acquire(ct_chan(&reply[0]));
	ct_acquire(ct_chan(&reply[1]));
	ct_release(ct_chan(&reply[0]));
	ct_acquire_for(to->id, ct_chan(&reply[0]));
	leave();
	sleep_ms(20);
}
static void request(void *arg)
{
	enter();
	wait_for(arg, ct_chan(arg));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(first, go(slow, NULL, "slow"), "first");
	go(request, &reply[0], "request");
	go(request, &reply[1], "request");
	return pub_end(SOME);
}
