/* pub4-grace-period.c - the end of all readers is waited for under a lock that one of them wants.
 * expect: deadlock 1
 * After neilotoole/errgroup#6 and the manual of liburcu; what is waited for has words of its own. Mended, the reader takes the
 * lock once it reads no more. */
#include "pub.h"

static size_t readers;
static struct wl over;
static struct lock config;
#define EPOCH ct_user("epoch 7")
static void reads(void *arg)
{
	(void)arg;
	enter();
	readers++;
	ct_acquire(EPOCH);
	block(ct_nothing(), 0, CT_HERE);	/* until main wakes it */
	leave();
	if (!mended)
		lock_get(&config);
	enter();
	ct_release(EPOCH);
	if (!--readers)
		wake_all(&over);
	leave();
	if (mended)
		lock_get(&config);
	lock_put(&config);
}
static void updates(void *arg)
{
	(void)arg;
	lock_get(&config);
	enter();
	while (readers)
		wait_for(&over, EPOCH);
	leave();
	lock_put(&config);
}

int main(int argc, char **argv)
{
	struct task *reader;

	pub_start(argc, argv);
	reader = go(reads, NULL, "reads");
	settle();
	go(updates, NULL, "updates");
	settle();
	enter();
	resume_with(reader, WOKEN, 0, ct_nothing());
	leave();
	return pub_end(SOME);
}
