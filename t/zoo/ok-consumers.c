/* ok-consumers.c - consumers that have had all there was.
 * expect: nothing proven; inconclusive, for nobody is left to send */
#include "zoo.h"

static struct chan c;
static void consumer(void *arg)
{
	(void)arg;
	for (;;)
		chan_recv(&c);
}
static void producer(void *arg)
{
	(void)arg;
	for (int i = 0; i < 500; i++) {
		chan_send(&c);
		if (i % 7 == 0)
			yield();
	}
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	for (int i = 0; i < 6; i++)
		go(consumer, NULL, "consumer");
	go(producer, NULL, "producer");
	return zoo_end();
}
