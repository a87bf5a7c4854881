/* pub2-error-keeps-lock.c - a handler returns early on an error and keeps the lock; its task serves on.
 * expect: nothing proven
 * After wmnsk/go-m3ua#11. Mended, it unlocks on every way out. */
#include "pub.h"

static struct lock l;
static struct chan requests = { .room = 4 };
static void serve(void *arg)
{
	(void)arg;
	while (chan_get(&requests)) {
		lock_get(&l);
		if (!mended)
			continue;		/* an error */
		lock_put(&l);
	}
}
static void user(void *arg)
{
	(void)arg;
	lock_get(&l);
	lock_put(&l);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(serve, NULL, "server");
	settle();
	chan_put(&requests);
	settle();
	go(user, NULL, "user");
	return pub_end(SOME);
}
