/* pub2-own-permits.c - a task has all permits in futures that it does not poll, and waits for one more.
 * expect: deadlock 1
 * After rust-lang/futures-rs#2387. Mended, it polls them meanwhile. */
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

static void stream(void *arg)
{
	(void)arg;
	take_conn();
	take_conn();
	if (mended)
		give_conn();
	take_conn();
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
	go(stream, NULL, "stream");
	return pub_end(SOME);
}
