/* pub5-ok-pool-grows.c - each has a connection of a pool and waits for a second one; a keeper opens more.
 * nothing: in order
 * The healthy one beside aio-libs/aiopg#113: the keeper has opened one before, and looks again in a minute. */
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
	sleep_ms(10);
	take_conn();
	sleep_ms(60000);
}
static void keeper(void *arg)
{
	(void)arg;
	sem_put(&pool);
	sleep_ms(60000);
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
	go(keeper, NULL, "keeper");
	pause_ms(30);
	for (int i = 0; i < 3; i++)
		go(nested, NULL, "nested");
	return pub_end(SOME);
}
