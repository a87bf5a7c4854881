/* pub2-ok-fair-queue.c - a fair queue whose head wants three permits, held by one that takes its time.
 * expect: nothing proven */
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
	if (q.first || permits < (uintptr_t)arg)
		wait_for(&q, ct_sem(&q));
	else
		permits -= (uintptr_t)arg;
	declare();
	leave();
	sleep_ms(100000);
	enter();
	permits += (uintptr_t)arg;
	grant();
	declare();
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	permits = 2;
	enter();
	declare();
	leave();
	go(acquire, (void *)1, "holder");
	settle();
	go(acquire, (void *)3, "head");
	settle();
	go(acquire, (void *)1, "behind");
	return pub_end(SOME);
}
