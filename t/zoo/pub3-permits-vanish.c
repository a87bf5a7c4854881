/* pub3-permits-vanish.c - a limited dispatcher does not count down where nobody waits: at last nobody gets in.
 * expect: nothing proven
 * After Kotlin/kotlinx.coroutines#4330. Mended, it counts down. */
#include "pub.h"

static struct sem s = { .n = 2 };
static void user(void *arg)
{
	(void)arg;
	sem_get(&s);
	ct_acquire(ct_sem(&s));
	sleep_ms(2);
	ct_release(ct_sem(&s));
	if (mended || s.wl.first)
		sem_put(&s);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&s), s.n);
	leave();
	for (int i = 0; i < 4; i++) {
		go(user, NULL, "user");
		pause_ms(20);
	}
	return pub_end(SOME);
}
