/* pub9-ok-third-sender.c - who has a lock waits for an item, and the only one that has sent so far waits for that lock.
 * nothing proven
 * Healthy: another, who has not sent yet, sleeps and will. Who may send is in no line. */
#include "pub.h"

static struct lock l;
static struct chan c = { .room = 4 };
static void receives(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		if (i)
			lock_get(&l);
		chan_get(&c);
	}
	lock_put(&l);
}
static void sends(void *arg)
{
	(void)arg;
	chan_put(&c);
	sleep_ms(20);
	lock_get(&l);
	lock_put(&l);
}
static void sends_later(void *arg)
{
	(void)arg;
	sleep_ms(60000);
	chan_put(&c);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(sends_later, NULL, "sends later");
	go(receives, NULL, "receives");
	settle();
	go(sends, NULL, "sends");
	pause_ms(150);
	return pub_end(SOME);
}
