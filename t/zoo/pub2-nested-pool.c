/* pub2-nested-pool.c - each has a connection of a pool, and waits for a second one.
 * expect: deadlock 1
 * After MagicStack/asyncpg#5. Mended, nobody takes two. */
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

static void nested(void *arg)
{
	(void)arg;
	take_conn();
	sleep_ms(20);
	if (!mended)
		take_conn();
	if (!mended)
		give_conn();
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
		go(nested, NULL, "nested");
	pause_ms(60);
	return pub_end(SOME);
}
