/* pub8-set-before-wait.c - an event is set between the look of the only one that waits for it, and its wait.
 * expect: ready-resource 1
 * After cocotb/cocotb#4675. Mended, it looks again under the lock. */
#include "pub.h"

static struct { bool set; struct wl wl; } e;
static volatile bool looked, done;
static void waiter(void *arg)
{
	bool set;

	(void)arg;
	enter();
	set = e.set;
	leave();
	looked = true;
	while (!done)
		pause_ms(1);
	enter();
	if (!(mended ? e.set : set))
		wait_for(&e.wl, ct_cond(&e));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_cond(&e), 0);
	leave();
	go(waiter, NULL, "waiter");
	while (!looked)
		pause_ms(1);
	enter();
	e.set = true;
	ct_level(ct_cond(&e), 1);
	wake_all(&e.wl);
	leave();
	done = true;
	return pub_end(SOME);
}
