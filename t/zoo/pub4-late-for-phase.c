/* pub4-late-for-phase.c - who looked at a barrier's phase and was delayed waits for one that is over.
 * suspected: ready-resource 1
 * After crystal-lang/crystal#16677's family. That nobody was ever seen to close the phase again does not prove that it stays
 * open. Mended, it looks once more. */
#include "pub.h"

static struct { bool over; int in; struct wl wl; } phase;
static struct task *late;
static void meets(void *arg)
{
	enter();
	if (arg)
		block(ct_nothing(), 0, CT_HERE);	/* between its look and its wait */
	if (!phase.over && ++phase.in == 2) {
		phase.over = true;
		ct_level(ct_cond(&phase), 1);
		wake_all(&phase.wl);
	} else if (!(mended && phase.over)) {
		wait_for(&phase.wl, ct_cond(&phase));
	}
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_cond(&phase), 0);
	leave();
	late = go(meets, &phase, "late");
	settle();
	go(meets, NULL, "meets");
	go(meets, NULL, "meets");
	settle();
	enter();
	resume_with(late, WOKEN, 0, ct_nothing());
	leave();
	return pub_end(SOME);
}
