/* pub-read-again.c - a reader reads again while a writer waits, who has precedence.
 * expect: deadlock 1
 * After kubernetes/kubernetes#58107. Mended, it reads once. */
#include "pub.h"

static struct { int readers, writers; bool written; struct wl wl; } rw;
static void read_lock(void)
{
	enter();
	while (rw.written || rw.writers)
		wait_for(&rw.wl, ct_mutex(&rw));
	rw.readers++;
	ct_acquire(ct_mutex(&rw));
	leave();
}
static void read_unlock(void)
{
	enter();
	rw.readers--;
	ct_release(ct_mutex(&rw));
	wake_all(&rw.wl);
	leave();
}
static void reader(void *arg)
{
	(void)arg;
	read_lock();
	enter();
	block(ct_nothing(), 0, CT_HERE);	/* until main has seen the other wait */
	leave();
	if (!mended) {
		read_lock();
		read_unlock();
	}
	read_unlock();
}
static void writer(void *arg)
{
	(void)arg;
	enter();
	rw.writers++;
	while (rw.readers || rw.written)
		wait_for(&rw.wl, ct_mutex(&rw));
	rw.writers--;
	rw.written = true;
	ct_acquire(ct_mutex(&rw));
	rw.written = false;
	ct_release(ct_mutex(&rw));
	wake_all(&rw.wl);
	leave();
}

int main(int argc, char **argv)
{
	struct task *t;

	pub_start(argc, argv);
	t = go(reader, NULL, "reader");
	settle();
	go(writer, NULL, "writer");
	settle();
	enter();
	resume_with(t, WOKEN, -1, ct_nothing());
	leave();
	return pub_end(SOME);
}
