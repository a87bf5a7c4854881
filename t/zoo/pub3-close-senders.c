/* pub3-close-senders.c - close wakes those who receive, and not those who send.
 * expect: closed-resource 2
 * After crystal-lang/crystal#5875. Mended, it wakes both. */
#include "pub.h"

static struct chan c = { .room = 1 };
static void sender(void *arg)
{
	(void)arg;
	enter();
	while (!c.closed) {
		if (c.n == c.room) {
			wait_for(&c.in, ct_room(&c));
			continue;
		}
		ct_level(ct_chan(&c), ++c.n);
		ct_level(ct_room(&c), c.room - c.n);
		wake_first(&c.out);
	}
	leave();
}
static void closer(void *arg)
{
	(void)arg;
	enter();
	c.closed = true;
	ct_close(ct_chan(&c));
	wake_all(&c.out);
	if (mended)
		wake_all(&c.in);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_open(ct_chan(&c), "jobs");
	go(sender, NULL, "sender");
	go(sender, NULL, "sender");
	settle();
	go(closer, NULL, "closer");
	return pub_end(SOME);
}
