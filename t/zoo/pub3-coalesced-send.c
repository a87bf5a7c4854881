/* pub3-coalesced-send.c - a flag says that the loop was told already; it is cleared behind the callback, not before.
 * expect: ready-resource 1
 * After libuv/libuv#197: uv_async_send between the two is lost. Mended, it is cleared before the queue is taken. */
#include "pub.h"

static struct { uint64_t n; bool told; struct wl wl; } q;
static struct wl in_callback;
static void post(void)
{
	enter();
	ct_level(ct_chan(&q), ++q.n);
	if (!q.told) {
		q.told = true;
		wake_first(&q.wl);
	}
	leave();
}
static void loop(void *arg)
{
	(void)arg;
	enter();
	for (;;) {
		while (!q.told)
			wait_for(&q.wl, ct_chan(&q));
		if (mended)
			q.told = false;
		ct_level(ct_chan(&q), q.n = 0);
		wait_for(&in_callback, ct_user("callback"));
		if (!mended)
			q.told = false;
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&q), 0);
	leave();
	go(loop, NULL, "loop");
	settle();
	for (int i = 0; i < 2; i++) {
		post();
		settle();
	}
	for (int i = 0; i < 2; i++) {
		enter();
		wake_first(&in_callback);
		leave();
		settle();
	}
	return pub_end(SOME);
}
