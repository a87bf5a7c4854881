/* pub2-ok-barrier-waits.c - a barrier whose last party sleeps for long; it has opened before.
 * expect: nothing proven */
#include "pub.h"

static struct { int arrived, generation; struct wl wl; } b;
static void party(void *arg)
{
	for (int round = 0; round < 2; round++) {
		int mine;

		sleep_ms(round && arg ? 100000 : 5);
		enter();
		mine = b.generation;
		if (++b.arrived == 3) {
			b.arrived = 0;
			b.generation++;
			ct_notify(ct_cond(&b), 2);
			wake_all(&b.wl);
		} else {
			while (mine == b.generation)
				wait_for(&b.wl, ct_cond(&b));
		}
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(party, NULL, "a");
	go(party, NULL, "b");
	go(party, "late", "c");
	pause_ms(60);
	return pub_end(SOME);
}
