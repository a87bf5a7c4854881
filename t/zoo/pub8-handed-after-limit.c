/* pub8-handed-after-limit.c - a lock is handed to one whose wait for it has come to its time limit, and who sleeps now.
 * expect: wasted-wake 1
 * After MagicStack/asyncpg#467. Mended, who has waited too long is in the queue no more. */
#include "pub.h"

static struct lock l;
static struct task *impatient;
static void owner(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(60);
	enter();
	ct_release(ct_mutex(&l));
	l.held = !mended;
	if (!mended) {
		ct_acquire_for(impatient->id, ct_mutex(&l));
		resume_with(impatient, WOKEN, -1, ct_mutex(&l));
	} else {
		wake_first(&l.wl);
	}
	leave();
}
static void tries(void *arg)
{
	(void)arg;
	enter();
	impatient = self();
	wait_until(&l.wl, ct_mutex(&l), 5);
	leave();
	for (;;)
		sleep_ms(60000);
}
static void wants(void *arg)
{
	(void)arg;
	lock_get(&l);
	lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(owner, NULL, "owner");
	pause_ms(10);
	go(tries, NULL, "tries");
	pause_ms(20);
	go(wants, NULL, "wants");
	pause_ms(80);
	return pub_end(SOME);
}
