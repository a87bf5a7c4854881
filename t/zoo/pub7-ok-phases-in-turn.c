/* pub7-ok-phases-in-turn.c - a barrier that uses two conditions in turn, each shut anew by who comes first to it.
 * nothing proven
 * Healthy: in the last phase the others wait for one that sleeps. */
#include "pub.h"

enum { PARTIES = 3, PHASES = 5 };
static struct { int in, now, open[2]; struct wl wl[2]; } b = { .open = { -1, -1 } };
static void party(void *arg)
{
	for (int i = 0; i < PHASES; i++) {
		int p;

		if (arg)
			sleep_ms(i == PHASES - 1 ? 60000 : 10);
		enter();
		p = b.now;
		if (!b.in++)
			ct_level(ct_cond(&b.wl[p % 2]), 0);
		if (b.in == PARTIES) {
			b.open[p % 2] = p;
			ct_level(ct_cond(&b.wl[p % 2]), 1);
			wake_all(&b.wl[p % 2]);
			b.in = 0;
			b.now++;
		}
		while (b.open[p % 2] < p)
			wait_for(&b.wl[p % 2], ct_cond(&b.wl[p % 2]));
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(party, NULL, "party");
	go(party, NULL, "party");
	go(party, &b, "slow party");
	return pub_end(SOME);
}
