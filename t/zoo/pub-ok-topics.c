/* pub-ok-topics.c - publishers and subscribers; one topic is silent.
 * expect: nothing proven */
#include "pub.h"

static struct cond topic[3];
static void subscriber(void *arg)
{
	struct cond *c = arg;

	for (int i = 0; i < 4 || c == &topic[2]; i++) {
		enter();
		wait_for(&c->wl, ct_cond(c));
		leave();
	}
}
static void publisher(void *arg)
{
	for (int i = 0; i < 4; i++) {
		sleep_ms(5);
		cond_broadcast(arg);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 12; i++)
		go(subscriber, &topic[i % 3], "subscriber");
	settle();
	go(publisher, &topic[0], "publisher 0");
	go(publisher, &topic[1], "publisher 1");
	pause_ms(60);
	return pub_end(SOME);
}
