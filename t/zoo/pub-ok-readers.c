/* pub-ok-readers.c - readers and writers of one lock, in good order.
 * expect: nothing proven */
#include "pub.h"

static struct { int readers; bool written; struct wl wl; } rw;
static void reader(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++) {
		enter();
		while (rw.written)
			wait_for(&rw.wl, ct_mutex(&rw));
		rw.readers++;
		ct_acquire(ct_mutex(&rw));
		leave();
		sleep_ms(2);
		enter();
		rw.readers--;
		ct_release(ct_mutex(&rw));
		if (!rw.readers)
			wake_all(&rw.wl);
		leave();
	}
}
static void writer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		enter();
		while (rw.written || rw.readers)
			wait_for(&rw.wl, ct_mutex(&rw));
		rw.written = true;
		ct_acquire(ct_mutex(&rw));
		leave();
		sleep_ms(1);
		enter();
		rw.written = false;
		ct_release(ct_mutex(&rw));
		wake_all(&rw.wl);
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 4; i++)
		go(reader, NULL, "reader");
	go(writer, NULL, "writer");
	pause_ms(100);
	return pub_end(SOME);
}
