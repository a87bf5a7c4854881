/* pub-ok-keepalive.c - connections wait for a request or for their time to be up.
 * expect: nothing proven */
#include "pub.h"

static struct wl conns;
static void conn(void *arg)
{
	(void)arg;
	enter();
	while (wait_until(&conns, ct_fd(11), 3600000) == WOKEN)
		;
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 5; i++)
		go(conn, NULL, "conn");
	settle();
	enter();
	wake_all(&conns);
	leave();
	return pub_end(SOME);
}
