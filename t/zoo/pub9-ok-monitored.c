/* pub9-ok-monitored.c - writers pause from a high mark to a low one, and one that looks on tells the levels every now and then.
 * nothing: in order
 * Healthy: the room that is free is told, full twice in a row; it is not yet as much as they go on with. */
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
	sleep_ms(30);
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
static void looks_on(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		tell();
		leave();
		sleep_ms(7);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	tell();
	leave();
	go(writes, NULL, "writes");
	settle();
	go(looks_on, NULL, "looks on");
	go(reads, NULL, "reads");
	pause_ms(60);
	return pub_end(SOME);
}
