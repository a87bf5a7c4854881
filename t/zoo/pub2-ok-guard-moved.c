/* pub2-ok-guard-moved.c - a guard moves to a new task, declared as a release and an acquire; that one works on.
 * expect: nothing proven */
#include "pub.h"

static struct lock l;
static void child(void *arg)
{
	(void)arg;
	ct_acquire(ct_mutex(&l));
	sleep_ms(100000);
	lock_put(&l);
}
static void parent(void *arg)
{
	(void)arg;
	lock_get(&l);
	ct_release(ct_mutex(&l));
	go(child, NULL, "child");
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
	go(parent, NULL, "parent");
	settle();
	for (int i = 0; i < 3; i++)
		go(user, NULL, "user");
	return pub_end(SOME);
}
