/* pub7-reply-never-sent.c - the reader of a connection alone sends the replies; it ends, and one was never sent, nor any level told of it.
 * expect: dead-owner 1
 * After Muterra/py_hypergolix#10. Mended, what is pending is closed first. */
#include "pub.h"

static struct reply { bool is; struct wl wl; } reply[3];
static void reads(void *arg)
{
	(void)arg;
	enter();
	for (int i = 0; i < 3; i++)
		ct_acquire(ct_chan(&reply[i]));
	leave();
	sleep_ms(20);
	enter();
	for (int i = 0; i < 2; i++) {
		reply[i].is = true;
		ct_level(ct_chan(&reply[i]), 1);
		ct_release(ct_chan(&reply[i]));
		wake_all(&reply[i].wl);
	}
	if (mended) {
		reply[2].is = true;
		ct_close(ct_chan(&reply[2]));
		wake_all(&reply[2].wl);
	}
	leave();
}
static void request(void *arg)
{
	struct reply *r = arg;

	enter();
	while (!r->is)
		wait_for(&r->wl, ct_chan(r));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(reads, NULL, "reads");
	for (int i = 0; i < 3; i++)
		go(request, &reply[i], "request");
	return pub_end(SOME);
}
