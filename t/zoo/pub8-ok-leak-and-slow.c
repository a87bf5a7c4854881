/* pub8-ok-leak-and-slow.c - of two connections one was leaked; who has the other works for long, and will give it back.
 * nothing proven
 * Healthy but for the leak, which keeps nobody for ever: who waits gets the other. */
#include "pub.h"

static struct sem pool = { .n = 2 };
static void uses(void *ms)
{
	sem_get(&pool);
	ct_acquire(ct_sem(&pool));
	if (!ms)
		return;
	sleep_ms(60000);
	ct_release(ct_sem(&pool));
	sem_put(&pool);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&pool), 2);
	leave();
	go(uses, NULL, "leaks");
	pause_ms(20);
	go(uses, &pool, "slow");
	pause_ms(20);
	go(uses, &pool, "waits");
	return pub_end(SOME);
}
