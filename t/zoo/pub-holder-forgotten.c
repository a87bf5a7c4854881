/* pub-holder-forgotten.c - one that holds a lock loses its wake; many wait behind it.
 * expect: missed-wake 1
 * After python/cpython#90155, its cascade. Mended, it looks again before it suspends. */
#include "pub.h"

static struct lock l;
static struct sem s;
static void *post(void *arg)
{
	pause_ms(20);
	enter();
	ct_level(ct_sem(&s), ++s.n);
	ct_wake(((struct task *)arg)->id, ct_sem(&s));	/* it runs still: nobody keeps that */
	resume_with(arg, WOKEN, -1, ct_sem(&s));
	leave();
	return NULL;
}
static void holder(void *arg)
{
	pthread_t t;
	bool none;

	(void)arg;
	lock_get(&l);
	none = !s.n;
	pthread_create(&t, NULL, post, self());
	pause_ms(60);
	pthread_join(t, NULL);
	enter();
	if (mended)
		none = !s.n;
	if (none)
		wait_for(&s.wl, ct_sem(&s));
	ct_level(ct_sem(&s), --s.n);
	leave();
	lock_put(&l);
}
static void user(void *arg)
{
	(void)arg;
	lock_get(&l);
	lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_sem(&s), 0);
	go(holder, NULL, "holder");
	pause_ms(30);
	for (int i = 0; i < 199; i++)
		go(user, NULL, "user");
	pause_ms(60);
	return pub_end(SOME);
}
