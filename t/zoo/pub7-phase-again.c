/* pub7-phase-again.c - who was let through a phase of a barrier, and shut the next, stands again at the one that is open.
 * expect: ready-resource 1
 * After golang.org/x/sync and java's Phaser, used with the number of the phase before. Nothing shuts it again. */
#include "pub.h"

static struct phase { bool open; struct wl wl; } phase[2];
static void opens(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		sleep_ms(20);
		enter();
		phase[i].open = true;
		ct_level(ct_cond(&phase[i]), 1);
		wake_all(&phase[i].wl);
		leave();
	}
}
static void passes(void *arg)
{
	(void)arg;
	enter();
	for (int i = 0; i < 2; i++) {
		ct_level(ct_cond(&phase[i]), 0);		/* it comes first */
		if (i && !mended)
			wait_for(&phase[i - 1].wl, ct_cond(&phase[i - 1]));
		else
			wait_for(&phase[i].wl, ct_cond(&phase[i]));
	}
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(passes, NULL, "passes");
	settle();
	go(opens, NULL, "opens");
	return pub_end(SOME);
}
