/* pub-queue-full.c - a completion finds the remote queue full, and is forgotten.
 * expect: dropped-wake 1
 * After facebookexperimental/libunifex#315. Mended, it waits in a list of its own. */
#include "pub.h"

static struct task *reader;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	reader = self();
	block(ct_fd(7), 0, CT_HERE);
	leave();
}
static void completion(void *arg)
{
	(void)arg;
	enter();
	if (mended)
		resume_with(reader, WOKEN, 0, ct_fd(7));
	else
		ct_wake(reader->id, ct_fd(7));
	leave();
}
static void other(void *arg)
{
	(void)arg;
	for (int i = 0; i < 8; i++)
		sleep_ms(25);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(waiter, NULL, "reader");
	settle();
	go(completion, NULL, "completion");
	go(other, NULL, "other");
	pause_ms(250);
	return pub_end(SOME);
}
