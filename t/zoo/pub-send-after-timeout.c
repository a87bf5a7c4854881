/* pub-send-after-timeout.c - a child sends its answer when who asked has gone.
 * expect: nothing proven
 * After kubernetes/kubernetes#5316. The trace cannot tell that nobody will ever receive.
 * Mended, the channel has room. */
#include "pub.h"

static struct chan answer = { .room = 0 };
static void child(void *arg)
{
	(void)arg;
	sleep_ms(40);
	chan_put(&answer);
}
static void asker(void *arg)
{
	(void)arg;
	answer.room = mended;
	go(child, NULL, "child");
	enter();
	wait_until(&answer.out, ct_chan(&answer), 10);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(asker, NULL, "asker");
	pause_ms(80);
	return pub_end(SOME);
}
