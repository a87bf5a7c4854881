/* pub-ok-backpressure.c - producers wait before a full channel whose consumer takes its time.
 * expect: nothing proven */
#include "pub.h"

static struct chan c = { .room = 2 };
static void producer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++)
		chan_put(&c);
}
static void consumer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		chan_get(&c);
		sleep_ms(5);
	}
	sleep_ms(100000);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_chan(&c), 0);
	for (int i = 0; i < 3; i++)
		go(producer, NULL, "producer");
	go(consumer, NULL, "consumer");
	pause_ms(60);
	return pub_end(SOME);
}
