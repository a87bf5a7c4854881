/* pub6-phase-of-three.c - the last who comes to a barrier of three lets both go in the first phase, and one in the second.
 * expect: ready-resource 1
 * After bytecodealliance/wasm-micro-runtime#2028, made a barrier. Mended, it lets both go. */
#include "pub.h"

static struct { int in, now; char generation[4]; struct wl wl; } b;
static void member(void *arg)
{
	(void)arg;
	for (int round = 0; round < 3; round++) {
		void *gate;

		enter();
		gate = &b.generation[b.now];
		if (!b.in)
			ct_level(ct_cond(gate), 0);
		if (++b.in == 3) {
			ct_level(ct_cond(gate), 1);
			wake_first(&b.wl);
			if (mended || b.now != 1)
				wake_first(&b.wl);
			b.wl.first = NULL;
			b.in = 0;
			b.now++;
		} else {
			wait_for(&b.wl, ct_cond(gate));
		}
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 3; i++)
		go(member, NULL, "member");
	return pub_end(SOME);
}
