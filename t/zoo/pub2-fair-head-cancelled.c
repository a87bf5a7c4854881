/* pub2-fair-head-cancelled.c - the head of a fair queue gives up; who stands behind could go on.
 * expect: ready-resource 1
 * After embassy-rs/embassy#6964. Mended, the one that gives up lets the next go. */
#include "pub.h"

static uint64_t permits;
static struct wl q;
static uint64_t want(const struct task *t) { return (uintptr_t)t->scratch; }
static void grant(void)
{
	while (q.first && permits >= want(q.first->task)) {
		permits -= want(q.first->task);
		wake_first(&q);
	}
}
static void declare(void)	/* 0 as long as nobody who waits could go on */
{
	ct_level(ct_sem(&q), q.first && permits < want(q.first->task) ? 0 : permits);
}

static void acquire(void *arg)
{
	enter();
	self()->scratch = arg;
	if (q.first || permits < (uintptr_t)arg) {
		wait_for(&q, ct_sem(&q));
		if (self()->stop) {
			self()->cancelled = true;
			if (mended)
				grant();
		}
	} else {
		permits -= (uintptr_t)arg;
	}
	declare();
	leave();
}
static void release(void)
{
	enter();
	permits++;
	grant();
	declare();
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *head;

	enter();
	declare();
	leave();
	head = go(acquire, (void *)3, "head");
	settle();
	go(acquire, (void *)1, "behind");
	settle();
	release();
	pause_ms(50);
	enter();
	cancel(head);
	leave();
	return pub_end(SOME);
}
