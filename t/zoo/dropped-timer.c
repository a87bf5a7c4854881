/* dropped-timer.c - a timer fires, and the batch in which its task is to be queued is thrown away.
 * expect: dropped-wake 1 */
#include "zoo.h"

static uint64_t deadline;
static struct task *who;
static void sleeper(void *arg)
{
	(void)arg;
	deadline = now() + 10000000;
	enter();
	block(NULL, ct_timer(deadline), CT_HERE);
	leave();
}
static void busy(void *arg)
{
	(void)arg;
	for (int i = 0; i < 20; i++)
		sleep_ms(10);
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	who = go(sleeper, NULL, "sleeper");
	settle();
	pause_ms(15);
	go(busy, NULL, "busy");
	ct_wake(who->id, ct_timer(deadline));
	return zoo_end();
}
