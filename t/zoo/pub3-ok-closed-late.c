/* pub3-ok-closed-late.c - the workers are stopped, then what tasks wait on is closed, and the program lingers.
 * expect: nothing proven */
#include "pub.h"

static struct wl wl;
static char thing[4];
static void waits(void *arg)
{
	enter();
	wait_for(&wl, ct_chan(arg));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 4; i++) {
		ct_open(ct_chan(&thing[i]), "channel");
		go(waits, &thing[i], "waits");
	}
	pub_end(150);
	for (int i = 0; i < 4; i++)
		ct_close(ct_chan(&thing[i]));
	pause_ms(SOME);
	return 0;
}
