/* pub8-leak-and-nested.c - of two connections one was leaked by a request that failed; who has the other wants a second one.
 * expect: deadlock 1
 * After mauricio/postgresql-async#140 and aio-libs/aiopg#127. Mended, the failed one gives its connection back. */
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
static void fails(void *arg)
{
	(void)arg;
	take_conn();
	sleep_ms(2);
	if (mended)
		give_conn();
}
static void nested(void *arg)
{
	(void)arg;
	take_conn();
	sleep_ms(10);
	take_conn();
	give_conn();
	give_conn();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&pool), 2);
	leave();
	go(fails, NULL, "fails");
	pause_ms(30);
	go(nested, NULL, "nested");
	return pub_end(SOME);
}
