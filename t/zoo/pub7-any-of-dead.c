/* pub7-any-of-dead.c - a sender waits for room or for the stop; who alone received and was to stop it has failed without either.
 * expect: dead-owner 1
 * After dotnet/runtime's Task.WhenAny over tasks that nobody completes. Mended, who fails sets the stop. */
#include "pub.h"

static struct wl senders, stops;
static bool stopped;
static void receives(void *arg)
{
	(void)arg;
	enter();
	ct_acquire(ct_room(&senders));			/* it alone receives */
	ct_acquire(ct_cond(&stops));			/* it alone stops them */
	leave();
	sleep_ms(20);
	if (!mended)
		return;
	enter();
	ct_release(ct_room(&senders));
	stopped = true;
	ct_level(ct_cond(&stops), 1);
	ct_release(ct_cond(&stops));
	wake_all(&stops);
	leave();
}
static void sends(void *arg)
{
	(void)arg;
	enter();
	while (!stopped) {
		add_leg(self(), &senders, ct_room(&senders));
		add_leg(self(), &stops, ct_cond(&stops));
		block_as(ANY_OF, ct_nothing(), 0, CT_HERE);
	}
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_room(&senders), 0);
	ct_level(ct_cond(&stops), 0);
	go(receives, NULL, "receives");
	go(sends, NULL, "sends");
	return pub_end(SOME);
}
