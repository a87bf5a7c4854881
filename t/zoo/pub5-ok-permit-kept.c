/* pub5-ok-permit-kept.c - who was woken for a permit is dropped before it runs; it lies there for whoever comes.
 * nothing: in order
 * As a request's time limit drops what waits for a connection: nobody else wants one. */
#include "pub.h"

static struct sem s;
static void user(void *arg)
{
	(void)arg;
	sem_get(&s);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&s), 0);
	leave();
	for (int i = 0; i < 3; i++) {
		struct task *t = go(user, NULL, "user");

		settle();
		enter();
		ct_level(ct_sem(&s), ++s.n);
		wake_first(&s.wl);
		ct_dequeue(t->id);
		drop(t);
		ct_level(ct_sem(&s), s.n = i < 2 ? 0 : s.n);
		leave();
	}
	return pub_end(SOME);
}
