/* pub-lock-future.c - a lock's future leaves the queue as each poll returns.
 * expect: ready-resource 1
 * After rust-lang/futures-rs#1972. Mended, it is kept. */
#include "pub.h"

static struct lock l;
static void user(void *arg)
{
	(void)arg;
	enter();
	while (l.held) {
		add_leg(self(), &l.wl, ct_mutex(&l));
		if (!mended)
			unlink_leg(&self()->leg[0]);
		block(ct_mutex(&l), 0, CT_HERE);
	}
	l.held = true;
	ct_acquire(ct_mutex(&l));
	leave();
	lock_put(&l);
}
static void holder(void *arg)
{
	(void)arg;
	lock_get(&l);
	enter();
	block(ct_nothing(), 0, CT_HERE);	/* until main has seen the other wait */
	leave();
	lock_put(&l);
}

int main(int argc, char **argv)
{
	struct task *t;

	pub_start(argc, argv);
	t = go(holder, NULL, "holder");
	settle();
	go(user, NULL, "user");
	settle();
	enter();
	resume_with(t, WOKEN, -1, ct_nothing());
	leave();
	return pub_end(SOME);
}
