/* pub-fd-closed-before.c - a reader waits on a descriptor that was closed before it came.
 * expect: closed-resource 1
 * After wingo/fibers#80. Mended, it looks first. */
#include "pub.h"

static bool open_ = true;
static struct wl readers;
static void reader(void *arg)
{
	(void)arg;
	sleep_ms(40);
	enter();
	if (open_ || !mended)
		wait_for(&readers, ct_fd(9));
	leave();
}
static void closer(void *arg)
{
	(void)arg;
	enter();
	open_ = false;
	wake_all(&readers);
	ct_close(ct_fd(9));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_open(ct_fd(9), "conn");
	go(reader, NULL, "reader");
	settle();
	go(closer, NULL, "closer");
	pause_ms(80);
	return pub_end(SOME);
}
