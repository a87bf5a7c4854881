/* missed-chan.c - the receiver looks, finds nothing, and is woken before it has suspended: the wake finds it running.
 * expect: missed-wake 1 */
#include "zoo.h"

static struct chan c;
static struct task *who;
static void *sender(void *arg)
{
	ct_level(ct_chan(&c), ++c.items);
	ct_wake(who->id, ct_chan(&c));	/* and not queued: it runs */
	return arg;
}
static void receiver(void *arg)
{
	if (!c.items)
		elsewhere(sender, arg);
	pause_ms(1);
	enter();
	block(&c.waiting, ct_chan(&c), CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	zoo_start(argc, argv);
	who = spawn(receiver, NULL, "receiver");
	enter();
	wake(who);
	leave();
	return zoo_end();
}
