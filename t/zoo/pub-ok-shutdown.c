/* pub-ok-shutdown.c - a shutdown cancels all that wait, and each goes in good order.
 * expect: nothing proven */
#include "pub.h"

static struct chan c = { .room = 4 };
static struct task *all[10];
static void waiter(void *arg)
{
	(void)arg;
	enter();
	while (!c.n && wait_for(&c.out, ct_chan(&c)) != CANCELLED)
		;
	self()->cancelled = true;
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_chan(&c), 0);
	for (int i = 0; i < 10; i++)
		all[i] = go(waiter, NULL, "waiter");
	settle();
	pause_ms(50);
	for (int i = 0; i < 10; i++) {
		enter();
		cancel(all[i]);
		leave();
	}
	return pub_end(SOME);
}
