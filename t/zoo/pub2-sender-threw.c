/* pub2-sender-threw.c - who should have sent has thrown; the parent waits for the one that receives.
 * expect: nothing proven
 * After vijos/jd4#20. Mended, its end closes the channel. */
#include "pub.h"

static struct chan c = { .room = 1 };
static void sender(void *arg)
{
	(void)arg;
	sleep_ms(10);
	if (mended)
		chan_close(&c);
}
static void receiver(void *arg)
{
	(void)arg;
	chan_get(&c);
}
static void parent(void *arg)
{
	struct task *r = go(receiver, NULL, "receiver");

	(void)arg;
	go(sender, NULL, "sender");
	join(r);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(parent, NULL, "parent");
	pause_ms(40);
	return pub_end(SOME);
}
