/* pub-ok-guard-returned.c - a helper takes a lock for who awaits it, who then works long under it.
 * expect: nothing proven */
#include "pub.h"

static struct lock l;
static uint64_t caller_id;
static void helper(void *arg)
{
	(void)arg;
	enter();
	while (l.held)
		wait_for(&l.wl, ct_mutex(&l));
	l.held = true;
	ct_acquire_for(caller_id, ct_mutex(&l));	/* the guard is what it returns */
	leave();
}
static void caller(void *arg)
{
	struct task *h;

	(void)arg;
	caller_id = self()->id;
	enter();
	h = make(helper, NULL, "helper");
	ct_wake(h->id, ct_nothing());
	push(h);
	wait_for(&h->joiners, ct_await(h->id));
	leave();
	sleep_ms(100000);
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
