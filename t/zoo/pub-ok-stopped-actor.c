/* pub-ok-stopped-actor.c - what was sent last stays in a mailbox whose reader is gone.
 * expect: nothing proven */
#include "pub.h"

static struct chan box = { .room = 8 };
static struct task *reader;
static void read_one(void *arg)
{
	(void)arg;
	enter();
	while (!box.n && !self()->stop)
		wait_for(&box.out, ct_chan(&box));
	if (!self()->stop)
		ct_level(ct_chan(&box), --box.n);
	else
		self()->cancelled = true;
	leave();
}
static void last_words(void *arg)
{
	(void)arg;
	enter();
	ct_level(ct_chan(&box), ++box.n);
	wake_first(&box.out);
	cancel(reader);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_chan(&box), 0);
	reader = go(read_one, NULL, "reader");
	settle();
	go(last_words, NULL, "sender");
	return pub_end(SOME);
}
