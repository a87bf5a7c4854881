/* pub5-late-for-gate.c - a gate opens for all while one is between its look at it and its wait.
 * expect: ready-resource 1
 * After crystal-lang/crystal#16677's family. Mended, it looks once more. */
#include "pub.h"

static struct { bool open; struct wl wl; } gate;
static volatile bool looked, opened;
static void passes(void *late)
{
	bool open;

	enter();
	open = gate.open;
	if (late) {
		leave();
		looked = true;
		while (!opened)
			pause_ms(1);
		enter();
	}
	if (!(mended ? gate.open : open))
		wait_for(&gate.wl, ct_cond(&gate));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_cond(&gate), 0);
	leave();
	go(passes, NULL, "passes");
	go(passes, NULL, "passes");
	settle();
	go(passes, &gate, "late");
	while (!looked)
		pause_ms(1);
	enter();
	gate.open = true;
	ct_level(ct_cond(&gate), 1);
	wake_all(&gate.wl);
	leave();
	opened = true;
	return pub_end(SOME);
}
