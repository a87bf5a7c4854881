/* pub8-thread-keeps-lock.c - a plain thread takes a lock that coroutines wait for, and ends with it.
 * expect: dead-owner 1
 * After dotnet/templating#4123. Mended, it gives it back. */
#include "pub.h"

static struct lock l;
static void wants(void *arg)
{
	(void)arg;
	lock_get(&l);
	lock_put(&l);
}
static void *keeps(void *arg)
{
	enter();
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	pause_ms(20);
	if (mended)
		lock_put(&l);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pub_start(argc, argv);
	pthread_create(&thread, NULL, keeps, NULL);
	pause_ms(10);
	go(wants, NULL, "wants");
	pthread_join(thread, NULL);
	return pub_end(SOME);
}
