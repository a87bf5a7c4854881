/* pub3-last-reader.c - the last reader wakes another, who steps back for the writer in front of it; that one is not woken.
 * expect: wasted-wake 2
 * After microsoft/litebox#809, the other way round. Mended, it wakes the writer. */
#include "pub.h"

static struct { int in; bool held; struct wl readers, writers; } l;
static void read_lock(void)
{
	enter();
	while (l.held || l.writers.first)
		wait_for(&l.readers, ct_mutex(&l));
	l.in++;
	ct_acquire(ct_mutex(&l));
	leave();
}
static void read_unlock(void)
{
	enter();
	ct_release(ct_mutex(&l));
	if (!--l.in && (mended || !wake_first(&l.readers)))
		wake_first(&l.writers);
	leave();
}
static void first(void *arg)
{
	(void)arg;
	read_lock();
	sleep_ms(150);
	read_unlock();
}
static void second(void *arg)
{
	(void)arg;
	read_lock();
	read_unlock();
}
static void writer(void *arg)
{
	(void)arg;
	enter();
	while (l.in || l.held)
		wait_for(&l.writers, ct_mutex(&l));
	l.held = true;
	ct_acquire(ct_mutex(&l));
	l.held = false;
	ct_release(ct_mutex(&l));
	wake_all(&l.readers);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(first, NULL, "first");
	settle();
	go(writer, NULL, "writer");
	settle();
	go(second, NULL, "second");
	pause_ms(200);
	return pub_end(SOME);
}
