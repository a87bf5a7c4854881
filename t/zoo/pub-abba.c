/* pub-abba.c - two locks taken in two orders.
 * expect: deadlock 1
 * After moby/moby#4951. Mended, in one. */
#include "pub.h"

static struct lock x, y;
static void one(void *arg)
{
	(void)arg;
	lock_get(&x);
	sleep_ms(30);
	lock_get(&y);
	lock_put(&y);
	lock_put(&x);
}
static void two(void *arg)
{
	struct lock *first = mended ? &x : &y, *second = mended ? &y : &x;

	(void)arg;
	lock_get(first);
	sleep_ms(30);
	lock_get(second);
	lock_put(second);
	lock_put(first);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(one, NULL, "one");
	go(two, NULL, "two");
	pause_ms(150);
	return pub_end(SOME);
}
