/* pub4-mailbox-flag.c - an actor finds its mailbox empty; a message comes; then it clears the flag that says it is awake.
 * expect: ready-resource 1
 * After rowpsmo1859/NeuralFish#30. Its room is told apart, so who waits for the mailbox waits for a message. Mended, it looks
 * again once the flag is clear. */
#include "pub.h"

static uint64_t n;
static bool awake = true;
static struct wl in;
static void tell(void)
{
	ct_level(ct_chan(&n), n);
	ct_level(ct_room(&n), 100 - n);
}
static void *posts(void *arg)
{
	enter();
	n++;
	tell();
	if (!awake)
		wake_first(&in);
	leave();
	return arg;
}
static void acts(void *arg)
{
	pthread_t other;

	(void)arg;
	enter();
	while (n) {
		n--;
		tell();
	}
	leave();				/* it is empty ... */
	pthread_create(&other, NULL, posts, NULL);
	pthread_join(other, NULL);		/* ... no more ... */
	enter();
	awake = false;				/* ... and it lies down */
	while (!(mended && n))
		wait_for(&in, ct_chan(&n));
	n--;
	tell();
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	tell();
	leave();
	go(acts, NULL, "acts");
	return pub_end(SOME);
}
