/* pub-ok-reconnect.c - a descriptor's number is used again after its close.
 * expect: nothing proven */
#include "pub.h"

static struct wl readers;
static void conn(void *arg)
{
	(void)arg;
	ct_open(ct_fd(30), "conn");
	enter();
	wait_for(&readers, ct_fd(30));
	leave();
}
static void closer(void *arg)
{
	(void)arg;
	enter();
	wake_all(&readers);
	ct_close(ct_fd(30));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(conn, NULL, "first");
	settle();
	go(closer, NULL, "closer");
	settle();
	go(conn, NULL, "second");
	return pub_end(SOME);
}
