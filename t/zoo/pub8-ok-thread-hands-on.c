/* pub8-ok-thread-hands-on.c - a thread takes a lock for the one that asked for it, gives it what it took by waking it, and ends.
 * nothing proven
 * Healthy: as a blocking job whose result is a guard; who asked has it, says so, and works on. */
#include "pub.h"

static struct lock l;
static struct wl answer;
static void *takes(void *arg)
{
	enter();
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	pause_ms(10);
	enter();
	ct_release(ct_mutex(&l));
	ct_acquire_for(answer.first->task->id, ct_mutex(&l));
	wake_first(&answer);
	leave();
	return arg;
}
static void asks(void *arg)
{
	(void)arg;
	enter();
	wait_for(&answer, ct_chan(&answer));
	leave();
	sleep_ms(60000);
	lock_put(&l);
}
static void wants(void *arg)
{
	(void)arg;
	lock_get(&l);
	lock_put(&l);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pub_start(argc, argv);
	go(asks, NULL, "asks");
	settle();
	pthread_create(&thread, NULL, takes, NULL);
	pthread_join(thread, NULL);
	go(wants, NULL, "wants");
	return pub_end(SOME);
}
