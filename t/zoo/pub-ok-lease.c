/* pub-ok-lease.c - a lease of one, told by its level, that is out for long; others wait for it.
 * expect: nothing proven */
#include "pub.h"

static struct sem lease = { .n = 1 };
static void user(void *arg)
{
	sem_get(&lease);
	sleep_ms((long)arg);
	sem_put(&lease);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	ct_level(ct_sem(&lease), 1);
	for (int i = 0; i < 10; i++)
		go(user, (void *)1, "short");
	pause_ms(60);
	go(user, (void *)100000, "long");
	settle();
	for (int i = 0; i < 3; i++)
		go(user, (void *)1, "next");
	return pub_end(SOME);
}
