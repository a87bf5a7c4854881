/* pub2-ok-spurious.c - woken early and for nothing, they look and wait again; what they wait for is not there.
 * expect: nothing proven */
#include "pub.h"

static struct sem s;
static void waiter(void *arg)
{
	(void)arg;
	sem_get(&s);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	struct task *t[4];

	enter();
	ct_level(ct_sem(&s), 0);
	leave();
	for (int i = 0; i < 4; i++)
		t[i] = go(waiter, NULL, "waiter");
	settle();
	for (int round = 0; round < 3; round++) {
		enter();
		for (int i = 0; i < 4; i++)
			resume_with(t[i], WOKEN, -1, ct_sem(&s));
		leave();
		settle();
	}
	return pub_end(SOME);
}
