/* pub-ok-long-holder.c - after many quick ones somebody holds the lock for long.
 * expect: nothing proven */
#include "pub.h"

static struct lock l;
static void quick(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(1);
	lock_put(&l);
}
static void slow(void *arg)
{
	(void)arg;
	lock_get(&l);
	sleep_ms(100000);
	lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	for (int i = 0; i < 12; i++)
		go(quick, NULL, "quick");
	pause_ms(60);
	go(slow, NULL, "slow");
	settle();
	for (int i = 0; i < 5; i++)
		go(quick, NULL, "quick");
	return pub_end(SOME);
}
