/* pub7-tokens-handed.c - both tokens of a limiter are handed on to borrowers who were cancelled meanwhile, and end with them.
 * expect: dead-owner 1
 * After agronholm/anyio#947. Mended, who is cancelled hands its token on. */
#include "pub.h"

static struct { uint64_t n; struct wl wl; struct task *cancelled[2]; } lim = { .n = 2 };
static void give(void)
{
	struct leg *next = lim.wl.first;

	ct_release(ct_sem(&lim));
	if (next) {
		ct_acquire_for(next->task->id, ct_sem(&lim));
		wake_first(&lim.wl);
	} else {
		ct_level(ct_sem(&lim), ++lim.n);
	}
}
static void borrows(void *arg)
{
	enter();
	if (lim.n) {
		ct_level(ct_sem(&lim), --lim.n);
		ct_acquire(ct_sem(&lim));
	} else {
		wait_for(&lim.wl, ct_sem(&lim));	/* handed over, never looked at again */
	}
	leave();
	if (arg && !mended)
		return;					/* cancelled */
	sleep_ms(60);
	enter();
	give();
	leave();
}

int main(int argc, char **argv)
{
	static int cancelled;

	pub_start(argc, argv);
	ct_level(ct_sem(&lim), 2);
	for (int i = 0; i < 5; i++) {
		struct task *t = go(borrows, i == 2 || i == 3 ? &cancelled : NULL, "borrows");

		while (__atomic_load_n(&t->state, __ATOMIC_RELAXED) != WAITING)
			pause_ms(1);
	}
	return pub_end(SOME);
}
