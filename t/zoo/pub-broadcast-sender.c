/* pub-broadcast-sender.c - room is made, and told, between a sender's look and its wait.
 * expect: nothing proven; suspected: missed-wake 1
 * After tokio-rs/tokio#2134. Mended, it looks again under the lock. */
#include "pub.h"

static struct chan c = { .n = 2, .room = 2 };
static void *receive(void *arg)
{
	(void)arg;
	enter();
	ct_level(ct_chan(&c), --c.n);
	ct_notify(ct_chan(&c), wake_first(&c.in) != NULL);
	leave();
	return NULL;
}
static void sender(void *arg)
{
	pthread_t t;

	(void)arg;
	pthread_create(&t, NULL, receive, NULL);
	pthread_join(t, NULL);
	pause_ms(1);
	enter();
	while (mended ? c.n == c.room : true)
		wait_for(&c.in, ct_chan(&c));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_chan(&c), 2);
	go(sender, NULL, "sender");
	return pub_end(SOME);
}
