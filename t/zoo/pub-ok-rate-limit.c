/* pub-ok-rate-limit.c - a limiter whose permits have run out; more come with time.
 * expect: nothing proven */
#include "pub.h"

static struct sem s = { .n = 4 };
static void caller(void *arg)
{
	(void)arg;
	sem_get(&s);
}
static void refill(void *arg)
{
	(void)arg;
	for (;;) {
		sleep_ms(100000);
		sem_put(&s);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_sem(&s), 4);
	go(refill, NULL, "refill");
	for (int i = 0; i < 7; i++)
		go(caller, NULL, "caller");
	return pub_end(SOME);
}
