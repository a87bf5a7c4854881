/* dead-awaitee-coro.c - a result is awaited of a task that was cancelled.
 * expect: dead-awaitee 1 */
#include "zoo.h"

static struct task *victim;
static void producer(void *arg) { (void)arg; sleep_ms(60000); }
static void consumer(void *arg)
{
	(void)arg;
	enter();
	block(NULL, ct_await(victim->id), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	victim = go(producer, NULL, "producer");
	go(consumer, NULL, "consumer");
	settle();
	enter();
	take_this(&sleepers, victim);
	ct_destroy(&victim->ct, 0);
	leave();
	return zoo_end();
}
