/* pub4-limit-off.c - the time limit of a read is turned off, and then the channel is closed without a word.
 * expect: closed-resource 1
 * After the timers of chriskohlhoff/asio, that stand for a time limit. Mended, the close wakes it. */
#include "pub.h"

static uint64_t items;
static struct wl in;
static void reads(void *arg)
{
	(void)arg;
	enter();
	add_leg(self(), &in, ct_chan(&items));
	block_as(ANY_OF, ct_nothing(), now() + 60000000000ull, CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	struct task *reader;

	pub_start(argc, argv);
	reader = go(reads, NULL, "reads");
	settle();
	enter();
	ct_deadline(reader->id, CT_NEVER);
	sleepers = NULL;
	ct_close(ct_chan(&items));
	if (mended)
		wake_all(&in);
	leave();
	return pub_end(SOME);
}
