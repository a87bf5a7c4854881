/* pub-timer-removed.c - a timer's removal takes another of the same tick out of the list.
 * expect: nothing proven; hint: ready-resource 1
 * After urbit/urbit#2954. Mended, it takes only its own. */
#include "pub.h"

static struct task *one, *two;
static void sleeper(void *arg)
{
	(void)arg;
	sleep_ms(40);
}
static void remover(void *arg)
{
	(void)arg;
	enter();
	cancel(one);
	if (!mended)
		forget(two);
	leave();
	for (int i = 0; i < 4; i++)
		sleep_ms(30);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	one = go(sleeper, NULL, "one");
	two = go(sleeper, NULL, "two");
	settle();
	go(remover, NULL, "remover");
	pause_ms(200);
	return pub_end(SOME);
}
