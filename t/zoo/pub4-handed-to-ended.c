/* pub4-handed-to-ended.c - who leads hands the lead to a follower that has been cancelled and is in the queue still.
 * expect: dead-owner 1
 * After PureWhiteWu/async_singleflight#12. Mended, it goes on to the next. */
#include "pub.h"

static struct task *leader, *followers[3];
static size_t count;
static void elect(void)
{
	ct_release(ct_mutex(&leader));
	leader = NULL;
	for (size_t i = 0; i < count && !leader; i++) {
		struct task *t = followers[i];

		if (!t)
			continue;
		followers[i] = NULL;
		if (mended && t->state == OVER)
			continue;
		leader = t;
		ct_acquire_for(t->id, ct_mutex(&leader));
		resume_with(t, WOKEN, 0, ct_mutex(&leader));
	}
}
static void node(void *arg)
{
	(void)arg;
	enter();
	if (leader) {
		followers[count++] = self();
		block(ct_mutex(&leader), 0, CT_HERE);
	} else {
		leader = self();
		ct_acquire(ct_mutex(&leader));
		block(ct_nothing(), 0, CT_HERE);	/* leads, until main ends that */
	}
	elect();
	leave();
}

int main(int argc, char **argv)
{
	struct task *first, *gone;

	pub_start(argc, argv);
	first = go(node, NULL, "first");
	settle();
	gone = go(node, NULL, "gone");
	settle();
	go(node, NULL, "last");
	settle();
	enter();
	drop(gone);
	resume_with(first, WOKEN, 0, ct_nothing());
	leave();
	return pub_end(SOME);
}
