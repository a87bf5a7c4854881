/* pub-one-waker.c - room for one waker.
 * expect: lost-waker 1
 * After the second who waits takes the first one's place, and nobody wakes that: embassy-
 * rs/embassy#4134. Mended, the one put out is woken, and waits again. */
#include "pub.h"

static struct task *registered;
static bool fired;
static void waiter(void *arg)
{
	(void)arg;
	enter();
	while (!fired) {
		ct_waker_clone(self()->id);
		if (registered && registered != self()) {
			struct task *old = registered;

			registered = self();
			if (mended)
				resume_with(old, WOKEN, 0, ct_user("interrupt"));
			ct_waker_drop(old->id);
		}
		registered = self();
		if (mended) {			/* they wake each other until then */
			leave();
			pause_ms(1);
			enter();
		}
		if (fired && mended)
			break;
		block(ct_user("interrupt"), 0, CT_HERE);
		if (fired && mended && registered && registered != self())
			resume_with(registered, WOKEN, 0, ct_user("interrupt"));
	}
	leave();
}
static void interrupt(void *arg)
{
	(void)arg;
	enter();
	fired = true;
	resume_with(registered, WOKEN, 0, ct_user("interrupt"));
	ct_waker_drop(registered->id);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(waiter, NULL, "first");
	settle();
	go(waiter, NULL, "second");
	if (mended)
		pause_ms(5);
	else
		settle();
	go(interrupt, NULL, "interrupt");
	return pub_end(SOME);
}
