/* pub5-ok-first-pause.c - a writer pauses at the high mark for the first time, and the reader has not come to the low one.
 * nothing: in order
 * After asyncio's drain(). Its room is told as what is free, though nobody could go on. */
#include "pub.h"

enum { LOW = 2, HIGH = 8 };
static uint64_t n;
static bool paused;
static struct wl in, out;
static void tell(void)
{
	ct_level(ct_chan(&n), n);
	ct_level(ct_room(&n), HIGH - n);
}
static void writes(void *arg)
{
	(void)arg;
	enter();
	for (;;) {
		while (paused)
			wait_for(&in, ct_room(&n));
		paused = ++n == HIGH;
		tell();
		wake_first(&out);
	}
}
static void reads(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		enter();
		while (!n)
			wait_for(&out, ct_chan(&n));
		n--;
		tell();
		if (paused && n <= LOW) {
			paused = false;
			wake_all(&in);
		}
		leave();
		sleep_ms(2);
	}
	sleep_ms(60000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	tell();
	leave();
	go(writes, NULL, "writes");
	settle();
	go(reads, NULL, "reads");
	return pub_end(SOME);
}
