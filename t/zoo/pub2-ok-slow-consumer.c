/* pub2-ok-slow-consumer.c - producers wait for room before a consumer that takes its time.
 * expect: nothing proven */
#include "pub.h"

static struct chan c = { .room = 2 };
static void producer(void *arg)
{
	(void)arg;
	for (;;)
		chan_put(&c);
}
static void consumer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 5; i++) {
		chan_get(&c);
		sleep_ms(5);
	}
	sleep_ms(100000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&c), 0);
	leave();
	for (int i = 0; i < 3; i++)
		go(producer, NULL, "producer");
	go(consumer, NULL, "consumer");
	pause_ms(60);
	return pub_end(SOME);
}
