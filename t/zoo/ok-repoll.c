/* ok-repoll.c - woken before it has suspended, in a runtime that remembers that and polls again; then idle.
 * expect: nothing proven */
#include "zoo.h"

static struct chan c;
static struct task *who;
static void *sender(void *arg)
{
	ct_level(ct_chan(&c), ++c.items);
	ct_wake(who->id, ct_chan(&c));
	return arg;
}
static void receiver(void *arg)
{
	for (int i = 0; i < 5; i++) {
		elsewhere(sender, arg);
		enter();
		self()->on = ct_chan(&c);
		ct_suspend(&self()->ct, CT_HERE, ct_chan(&c));
		push(self());			/* as it was notified */
		switch_out();
		ct_level(ct_chan(&c), --c.items);
		leave();
	}
	chan_recv(&c);
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
