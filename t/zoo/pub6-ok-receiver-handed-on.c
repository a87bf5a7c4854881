/* pub6-ok-receiver-handed-on.c - who said that it alone receives ends, and another, which nobody awaits, receives slowly.
 * nothing proven
 * Healthy, as far as its trace can show: the other goes on. */
#include "pub.h"

static struct chan c = { .room = 1 };
static void tell(void)
{
	ct_level(ct_chan(&c), c.n);
	ct_level(ct_room(&c), c.room - c.n);
}
static void slowly(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!c.n)
			wait_for(&c.out, ct_chan(&c));
		c.n--;
		tell();
		wake_first(&c.in);
		leave();
		sleep_ms(2 * SOME);
	}
}
static void first(void *arg)
{
	(void)arg;
	ct_acquire(ct_room(&c));
	go(slowly, NULL, "slowly");
}
static void sends(void *arg)
{
	(void)arg;
	for (int i = 0; i < 9; i++) {
		enter();
		while (c.n == c.room)
			wait_for(&c.in, ct_room(&c));
		c.n++;
		tell();
		wake_first(&c.out);
		leave();
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	tell();
	leave();
	go(first, NULL, "first");
	go(sends, NULL, "sends");
	pause_ms(SOME);
	enter();
	stopping = true;
	for (int i = 0; i < workers; i++)
		pthread_cond_broadcast(&worker[i].bell);
	leave();
	for (int i = 0; i < workers; i++)
		pthread_join(worker[i].thread, NULL);
	return 0;
}
