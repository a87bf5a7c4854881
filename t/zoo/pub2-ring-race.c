/* pub2-ring-race.c - a reader finds the ring empty, lets go of its lock, and suspends; the writer came in between.
 * expect: ready-resource 1
 * After jbaldwin/libcoro#120. Mended, it looks again under the lock before it suspends. */
#include "pub.h"

static struct chan c = { .room = 8 };
static volatile bool looked;
static void *write_one(void *arg)
{
	(void)arg;
	while (!looked)
		pause_ms(1);
	chan_put(&c);
	looked = false;
	return NULL;
}
static void reader(void *arg)
{
	bool none;

	(void)arg;
	for (int i = 0; i < 3; i++)
		chan_get(&c);
	enter();
	none = !c.n;
	leave();
	looked = true;
	while (looked)
		pause_ms(1);
	enter();
	if (mended)
		none = !c.n;
	if (none)
		wait_for(&c.out, ct_chan(&c));
	ct_level(ct_chan(&c), --c.n);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	pthread_t t;

	enter();
	ct_level(ct_chan(&c), 0);
	leave();
	go(reader, NULL, "reader");
	for (int i = 0; i < 3; i++) {
		settle();
		chan_put(&c);
	}
	pthread_create(&t, NULL, write_one, NULL);
	pthread_join(t, NULL);
	return pub_end(SOME);
}
