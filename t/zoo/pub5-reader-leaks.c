/* pub5-reader-leaks.c - three readers have a lock at a time, one ends and keeps it, and a writer waits.
 * expect: dead-owner 1
 * The rwlock of recipes.md, where readers overlap. Mended, all of them give it back. */
#include "pub.h"

static struct { int readers; struct wl writers; } l;
static char leaks, last;
static void reads(void *arg)
{
	enter();
	l.readers++;
	ct_acquire(ct_mutex(&l));
	leave();
	sleep_ms(arg == &leaks ? 20 : arg == &last ? 120 : 60);
	if (arg == &leaks && !mended)
		return;
	enter();
	ct_release(ct_mutex(&l));
	if (!--l.readers)
		wake_first(&l.writers);
	leave();
}
static void writes(void *arg)
{
	(void)arg;
	enter();
	while (l.readers)
		wait_for(&l.writers, ct_mutex(&l));
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(reads, NULL, "reads");
	settle();
	go(reads, &leaks, "leaks");
	go(reads, &last, "reads");
	go(writes, NULL, "writes");
	pause_ms(150);
	return pub_end(SOME);
}
