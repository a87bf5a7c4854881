/* pub-abba-timeout.c - two locks in two orders, each attempt under a time limit that drops both.
 * expect: deadlock 1
 * After moby/moby#4951 as its test has it. Mended, in one order. */
#include "pub.h"

static struct lock x, y;
static void pair(void *arg)
{
	struct lock *first = arg, *second = arg == &x ? &y : &x;

	lock_get(first);
	sleep_ms(30);
	lock_get(second);
	lock_put(second);
	lock_put(first);
}
static struct task *one, *two;
static void watch(void *arg)
{
	(void)arg;
	sleep_ms(400);
	enter();
	if (one->state != OVER)
		drop(one);
	if (two->state != OVER)
		drop(two);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	one = go(pair, &x, "one");
	two = go(pair, mended ? &x : &y, "two");
	go(watch, NULL, "watch");
	pause_ms(450);
	return pub_end(SOME);
}
