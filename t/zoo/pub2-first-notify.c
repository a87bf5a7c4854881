/* pub2-first-notify.c - the notify that races with the first listener counts no listeners.
 * expect: ready-resource 1
 * After smol-rs/event-listener#138. Mended, it counts them under the lock. */
#include "pub.h"

static struct chan c = { .room = 8 };
static void receiver(void *arg)
{
	(void)arg;
	chan_get(&c);
}
static void send_one(void *arg)
{
	(void)arg;
	enter();
	ct_level(ct_chan(&c), ++c.n);
	ct_notify(ct_chan(&c), mended ? wake_first(&c.out) != NULL : 0);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&c), 0);
	leave();
	go(receiver, NULL, "receiver");
	settle();
	go(send_one, NULL, "sender");
	return pub_end(SOME);
}
