/* pub4-reader-cancelled.c - the reader of a pipe is cancelled while the writer waits for room.
 * expect: dead-owner 1
 * After seastar's pipe and tokio-rs/tokio's duplex: the end that goes has to wake the other. Mended, it is closed. */
#include "pub.h"

static uint64_t n, room = 2;
static bool broken;
static struct wl in, out;
static void tell(void)
{
	ct_level(ct_chan(&n), n);
	ct_level(ct_room(&n), room - n);
}
static void writes(void *arg)
{
	(void)arg;
	enter();
	for (int i = 0; i < 6 && !broken; i++) {
		while (n == room && !broken)
			wait_for(&in, ct_room(&n));
		if (broken)
			break;
		n++;
		tell();
		wake_first(&out);
	}
	leave();
}
static void reads(void *arg)
{
	(void)arg;
	enter();
	ct_acquire(ct_room(&n));		/* nobody else reads */
	for (int i = 0; i < 2; i++) {
		while (!n)
			wait_for(&out, ct_chan(&n));
		n--;
		tell();
		wake_first(&in);
	}
	leave();
	sleep_ms(60000);
}

int main(int argc, char **argv)
{
	struct task *reader;

	pub_start(argc, argv);
	enter();
	tell();
	leave();
	reader = go(reads, NULL, "reads");
	settle();
	go(writes, NULL, "writes");
	settle();
	enter();
	if (mended) {
		broken = true;
		ct_close(ct_chan(&n));
		wake_all(&in);
	}
	drop(reader);
	leave();
	return pub_end(SOME);
}
