/* pub-signal-reset.c - a signal's reset drops the waker of who waits.
 * expect: lost-waker 1
 * After embassy-rs/embassy#4598. Mended, it keeps it. */
#include "pub.h"

static struct task *registered;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	ct_waker_clone(self()->id);
	registered = self();
	block(ct_user("signal"), 0, CT_HERE);
	leave();
}
static void driver(void *arg)
{
	(void)arg;
	enter();
	if (!mended) {
		ct_waker_drop(registered->id);
		registered = NULL;
	}
	leave();
	sleep_ms(20);
	enter();
	if (registered) {
		resume_with(registered, WOKEN, 0, ct_user("signal"));
		ct_waker_drop(registered->id);
	}
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(waiter, NULL, "waiter");
	settle();
	go(driver, NULL, "driver");
	pause_ms(50);
	return pub_end(SOME);
}
