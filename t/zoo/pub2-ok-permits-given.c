/* pub2-ok-permits-given.c - permits are used up by some and put by others; the rest waits for more.
 * expect: nothing proven */
#include "pub.h"

static struct sem s;
static void consumer(void *arg)
{
	(void)arg;
	for (;;)
		sem_get(&s);
}
static void producer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		sem_put(&s);
		sleep_ms(1);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&s), 0);
	leave();
	for (int i = 0; i < 4; i++)
		go(consumer, NULL, "consumer");
	settle();
	go(producer, NULL, "producer");
	pause_ms(50);
	return pub_end(SOME);
}
