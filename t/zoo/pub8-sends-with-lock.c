/* pub8-sends-with-lock.c - one sends with a lock that who alone receives wants before each item; the channel is full.
 * expect: deadlock 1
 * After ipfs/boxo#787. What it sent cannot have taken its guard along: who receives it waits for that. Mended, it sends without. */
#include "pub.h"

static struct lock l;
static struct chan c = { .room = 2 };
static void tell(void)
{
	ct_level(ct_chan(&c), c.n);
	ct_level(ct_room(&c), c.room - c.n);
}
static void sends(void *arg)
{
	(void)arg;
	if (!mended)
		lock_get(&l);
	for (int i = 0; i < 5; i++) {
		enter();
		while (c.n == c.room)
			wait_for(&c.in, ct_room(&c));
		c.n++;
		tell();
		wake_first(&c.out);
		leave();
	}
	if (!mended)
		lock_put(&l);
}
static void receives(void *arg)
{
	(void)arg;
	ct_acquire(ct_room(&c));
	sleep_ms(20);
	for (int i = 0; i < 5; i++) {
		lock_get(&l);
		enter();
		while (!c.n)
			wait_for(&c.out, ct_chan(&c));
		c.n--;
		tell();
		wake_first(&c.in);
		leave();
		lock_put(&l);
	}
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
