/* pub-lock-channel.c - a sender to a full channel holds the lock that the receiver wants.
 * expect: nothing proven; suspected: deadlock 1
 * After istio/istio#16224. Mended, it sends without the lock. */
#include "pub.h"

static struct lock l;
static struct chan c = { .room = 1 };
static void sender(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++) {
		if (!mended)
			lock_get(&l);
		chan_put(&c);
		if (!mended)
			lock_put(&l);
	}
}
static void receiver(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++) {
		lock_get(&l);
		lock_put(&l);
		chan_get(&c);
		sleep_ms(20);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(receiver, NULL, "receiver");
	settle();
	go(sender, NULL, "sender");
	pause_ms(150);
	return pub_end(SOME);
}
