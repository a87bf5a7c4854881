/* pub-guard-returned.c - a helper's guard goes to who awaits it, and is forgotten.
 * expect: dead-owner 1
 * After the missing unlock of moby/moby#7559 behind a call. Mended, it gives it back. */
#include "pub.h"

static struct lock l;
static void helper(void *arg)
{
	(void)arg;
	lock_get(&l);
}
static void caller(void *arg)
{
	struct task *h;

	(void)arg;
	enter();
	h = make(helper, NULL, "helper");
	ct_wake(h->id, ct_nothing());
	push(h);
	wait_for(&h->joiners, ct_await(h->id));
	leave();
	if (mended)
		lock_put(&l);
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
	go(user, NULL, "user");
	settle();
	go(caller, NULL, "caller");
	settle();
	go(user, NULL, "next");
	return pub_end(SOME);
}
