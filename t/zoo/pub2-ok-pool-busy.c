/* pub2-ok-pool-busy.c - all connections of a pool are out for long; many wait for one.
 * expect: nothing proven */
#include "pub.h"

static struct sem pool = { .n = 2 };
static void take_conn(void)
{
	sem_get(&pool);
	ct_acquire(ct_sem(&pool));
}
static void give_conn(void)
{
	ct_release(ct_sem(&pool));
	sem_put(&pool);
}
static void quick(void *arg)
{
	(void)arg;
	take_conn();
	sleep_ms(2);
	give_conn();
}

static void slow(void *arg)
{
	(void)arg;
	take_conn();
	sleep_ms(100000);
	give_conn();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&pool), 2);
	leave();
	for (int i = 0; i < 4; i++)
		go(quick, NULL, "quick");
	pause_ms(30);
	for (int i = 0; i < 2; i++)
		go(slow, NULL, "slow");
	settle();
	for (int i = 0; i < 6; i++)
		go(quick, NULL, "next");
	return pub_end(SOME);
}
