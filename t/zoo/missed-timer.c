/* missed-timer.c - a timer fires while its task is still on its way to wait for it, and fires once.
 * expect: missed-wake 1 */
#include "zoo.h"

static struct task *who;
static uint64_t deadline;
static void *fire(void *arg)
{
	ct_wake(who->id, ct_timer(deadline));
	return arg;
}
static void sleeper(void *arg)
{
	deadline = now() + 1000000;
	pause_ms(2);
	elsewhere(fire, arg);
	pause_ms(1);
	enter();
	block(NULL, ct_timer(deadline), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	who = spawn(sleeper, NULL, "sleeper");
	enter();
	wake(who);
	leave();
	return zoo_end();
}
