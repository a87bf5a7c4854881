/* pub-blocked-workers.c - a blocking call in the poll of the only worker; timers and the rest come late.
 * expect: nothing proven; hint: blocked-workers 1
 * After tokio-rs/tokio#2542 and #4730. Mended, a thread of its own does what blocks. */
#include "pub.h"

static void *elsewhere(void *arg)
{
	pause_ms(150);
	enter();
	resume_with(arg, WOKEN, -1, ct_nothing());
	leave();
	return NULL;
}
static void request(void *arg)
{
	pthread_t t;

	(void)arg;
	if (!mended)
		pause_ms(100000);
	if (mended) {
		pthread_create(&t, NULL, elsewhere, self());
		pthread_detach(t);
		enter();
		block(ct_nothing(), 0, CT_HERE);
		leave();
	}
}
static void sleeper(void *arg)
{
	(void)arg;
	sleep_ms(50);
}

int main(int argc, char **argv)
{
	char *one[] = { argv[0], "1", argc > 2 ? argv[2] : "bug", NULL };

	pub_start(3, one);
	for (int i = 0; i < 5; i++)
		go(sleeper, NULL, "sleeper");
	settle();
	go(request, NULL, "request");
	go(sleeper, NULL, "sleeper");
	pause_ms(SOME);
	if (!mended)
		_exit(0);
	return pub_end(50);
}
