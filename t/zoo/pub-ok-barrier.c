/* pub-ok-barrier.c - a barrier used many times; then some have come and the others are at work.
 * expect: nothing proven */
#include "pub.h"

static struct { int missing; struct wl wl; } b = { 4, { NULL } };
static void meet(void)
{
	enter();
	if (--b.missing) {
		wait_for(&b.wl, ct_user("the others"));
	} else {
		b.missing = 4;
		wake_all(&b.wl);
	}
	leave();
}
static void party(void *arg)
{
	for (int i = 0; i < 10; i++)
		meet();
	if (arg)
		sleep_ms(100000);
	meet();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 4; i++)
		go(party, i ? NULL : "late", "party");
	return pub_end(SOME);
}
