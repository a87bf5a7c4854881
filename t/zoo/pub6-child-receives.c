/* pub6-child-receives.c - who alone receives, by children whose result it awaits, ends while others send.
 * expect: dead-owner 1
 * After async-rs/async-std#472. Mended, it closes the channel. */
#include "pub.h"

static struct chan c = { .room = 2 };
static void tell(void)
{
	ct_level(ct_chan(&c), c.n);
	ct_level(ct_room(&c), c.room - c.n);
}
static void receives_one(void *arg)
{
	(void)arg;
	enter();
	while (!c.n)
		wait_for(&c.out, ct_chan(&c));
	c.n--;
	tell();
	wake_first(&c.in);
	leave();
}
static void receives(void *arg)
{
	(void)arg;
	ct_acquire(ct_room(&c));		/* nobody else receives */
	for (int i = 0; i < 3; i++) {
		struct task *t = make(receives_one, NULL, "receives one");

		enter();
		ct_wake(t->id, ct_nothing());
		push(t);		/* it begins when this one waits for it */
		wait_for(&t->joiners, ct_await(t->id));
		leave();
	}
	if (mended)
		chan_close(&c);
}
static void sends(void *arg)
{
	(void)arg;
	enter();
	for (int i = 0; i < 6 && !c.closed; i++) {
		while (c.n == c.room && !c.closed)
			wait_for(&c.in, ct_room(&c));
		if (c.closed)
			break;
		c.n++;
		tell();
		wake_first(&c.out);
	}
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	tell();
	leave();
	go(receives, NULL, "receives");
	settle();
	go(sends, NULL, "sends");
	return pub_end(SOME);
}
