/* pub2-readers-cross.c - two readers take two read locks the other way round, and writers stand between.
 * expect: deadlock 1
 * After syncthing/syncthing#3596. Mended, both take them in one order. */
#include "pub.h"

static struct rw { int readers; bool writer; int writers; struct wl wl; } a, b;
static void rlock(struct rw *w)
{
	enter();
	while (w->writer || w->writers)		/* who waits to write goes first */
		wait_for(&w->wl, ct_mutex(w));
	w->readers++;
	ct_acquire(ct_mutex(w));
	leave();
}
static void runlock(struct rw *w)
{
	enter();
	w->readers--;
	ct_release(ct_mutex(w));
	wake_all(&w->wl);
	leave();
}
static void writer(void *arg)
{
	struct rw *w = arg;

	enter();
	w->writers++;
	while (w->writer || w->readers)
		wait_for(&w->wl, ct_mutex(w));
	w->writers--;
	w->writer = true;
	ct_acquire(ct_mutex(w));
	w->writer = false;
	ct_release(ct_mutex(w));
	wake_all(&w->wl);
	leave();
}
static void reader(void *arg)
{
	struct rw *x = arg || mended ? &a : &b, *y = arg || mended ? &b : &a;

	rlock(x);
	sleep_ms(60);
	rlock(y);
	runlock(y);
	runlock(x);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(reader, "a first", "reader 1");
	go(reader, NULL, "reader 2");
	settle();
	if (!mended)
		go(writer, &a, "writer a");
	go(writer, &b, "writer b");
	pause_ms(100);
	return pub_end(SOME);
}
