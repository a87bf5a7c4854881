/* pub2-entry-of-ended.c - a wait that timed out leaves its entry behind, and gets the wake after its task has ended.
 * expect: wasted-wake 1; hint: woken-after-end 1
 * After apache/asyncband#10. Mended, a wait that times out takes its entry out. */
#include "pub.h"

static struct { bool open; struct task *q[8]; int n; } wg;
static void waiter(void *arg)
{
	enter();
	wg.q[wg.n++] = self();
	if (arg) {
		block(ct_any(CT_ON_SEM), now() + 20000000, CT_HERE);
		if (mended)
			wg.n--;
	} else {
		while (!wg.open)
			block(ct_sem(&wg), 0, CT_HERE);
	}
	leave();
}
static void done(void)
{
	struct task *t;

	enter();
	wg.open = true;
	ct_level(ct_sem(&wg), 1);
	t = wg.q[0];
	if (t->state == WAITING)
		resume_with(t, WOKEN, -1, ct_sem(&wg));
	else
		ct_wake(t->id, ct_sem(&wg));
	leave();
}

int main(int argc, char **argv)
{
	struct task *first;

	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&wg), 0);
	leave();
	first = go(waiter, "with a time limit", "first");
	for (bool over = false; !over; pause_ms(5)) {
		enter();
		over = first->state == OVER;
		leave();
	}
	go(waiter, NULL, "second");
	settle();
	done();
	return pub_end(SOME);
}
