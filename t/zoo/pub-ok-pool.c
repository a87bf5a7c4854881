/* pub-ok-pool.c - a pool of workers on one channel at rest, after a burst.
 * expect: nothing proven */
#include "pub.h"

static struct chan jobs = { .room = 100 };
static void hand(void *arg)
{
	(void)arg;
	while (chan_get(&jobs))
		give_way();
}
static void boss(void *arg)
{
	(void)arg;
	for (int i = 0; i < 40; i++)
		chan_put(&jobs);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 6; i++)
		go(hand, NULL, "hand");
	settle();
	go(boss, NULL, "boss");
	return pub_end(SOME);
}
