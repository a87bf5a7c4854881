/* pub2-barrier-generation.c - a barrier opens while one is on its way to wait: it waits for an old generation.
 * expect: nothing proven; hint: missed-wake 1
 * After microsoft/vs-threading#90. Mended, it looks at the generation under the lock. */
#include "pub.h"

static struct { int arrived, generation; struct wl wl; } b;
static volatile bool counted;
static void party(void *arg)
{
	int mine;

	enter();
	mine = b.generation;
	if (++b.arrived == 3) {
		b.arrived = 0;
		b.generation++;
		ct_notify(ct_cond(&b), b.wl.first != NULL);
		wake_all(&b.wl);
		leave();
		return;
	}
	if (arg && !mended) {
		leave();
		counted = true;
		pause_ms(60);
		enter();
		wait_for(&b.wl, ct_cond(&b));
	} else {
		while (mine == b.generation)
			wait_for(&b.wl, ct_cond(&b));
	}
	leave();
}
static void *last(void *arg)
{
	while (!mended && !counted)
		pause_ms(1);
	enter();
	b.arrived = 0;
	b.generation++;
	ct_notify(ct_cond(&b), b.wl.first != NULL);
	wake_all(&b.wl);
	leave();
	return arg;
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	pthread_t t;

	go(party, NULL, "first");
	settle();
	go(party, "slow", "second");
	if (mended)
		settle();
	pthread_create(&t, NULL, last, NULL);
	pthread_join(t, NULL);
	pause_ms(80);
	return pub_end(SOME);
}
