/* pub7-last-reader-first.c - of three readers the second ends with the lock; the third gives it back, then the first.
 * expect: dead-owner 1
 * After grpc and others, whose error paths keep a read lock. The first's release, behind the others' acquires, shows that it is shared. */
#include "pub.h"

static struct { int readers; struct wl writers; } l;
static void reader(void *arg)
{
	long n = (long)arg;

	enter();
	l.readers++;
	ct_acquire(ct_mutex(&l));
	leave();
	sleep_ms(90 - 30 * n);
	if (n == 1 && !mended)
		return;
	enter();
	ct_release(ct_mutex(&l));
	if (!--l.readers)
		wake_all(&l.writers);
	leave();
}
static void writer(void *arg)
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
	for (long n = 0; n < 3; n++) {
		struct task *t = go(reader, (void *)n, "reader");

		while (__atomic_load_n(&t->state, __ATOMIC_RELAXED) != WAITING)
			pause_ms(1);
	}
	go(writer, NULL, "writer");
	return pub_end(SOME);
}
