/* pub-accept-dropped.c - a scheduler throws away the accept loop that it was to run.
 * expect: destroyed-woken 1
 * After the incoming connections of near/mpc#3384. Mended, it runs it. */
#include "pub.h"

static struct task *loop;
static void accepts(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		loop = self();
		block(ct_fd(3), 0, CT_HERE);
		leave();
	}
}
static void other(void *arg)
{
	(void)arg;
	for (int i = 0; i < 8; i++)
		sleep_ms(25);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_open(ct_fd(3), "listener");
	go(accepts, NULL, "accept");
	settle();
	go(other, NULL, "other");
	for (int i = 0; i < 3; i++) {
		enter();
		resume_with(loop, WOKEN, 0, ct_fd(3));
		leave();
		settle();
	}
	enter();
	resume_with(loop, WOKEN, 0, ct_fd(3));
	if (!mended)
		drop(loop);
	leave();
	pause_ms(250);
	return pub_end(SOME);
}
