/* pub3-strand-kept.c - a handler that throws leaves its strand marked as running; what is posted later waits for ever.
 * expect: dead-owner 1
 * After phaller/reactive-async#37. Mended, the mark goes with the handler, however it ends. */
#include "pub.h"

static struct lock strand;
static void handler(void *arg)
{
	lock_get(&strand);
	sleep_ms(2);
	if (arg && !mended)
		return;
	lock_put(&strand);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 4; i++) {
		go(handler, i == 2 ? &strand : NULL, "handler");
		pause_ms(1);
	}
	return pub_end(SOME);
}
