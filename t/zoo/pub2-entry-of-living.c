/* pub2-entry-of-living.c - a wait that timed out leaves its entry behind, and gets the wake while its task does other things.
 * expect: wasted-wake 1
 * After apache/asyncband#10, where the task goes on. Mended, a wait that times out takes its entry out. */
#include "pub.h"

static struct { uint64_t n; struct task *q[8]; int waiting; } s;
static void put_one(void)
{
	struct task *t = s.waiting ? s.q[0] : NULL;

	ct_level(ct_sem(&s), ++s.n);
	if (!t)
		return;
	memmove(s.q, s.q + 1, (size_t)--s.waiting * sizeof(s.q[0]));
	resume_with(t, WOKEN, -1, ct_sem(&s));
}
static void get_one(void)
{
	enter();
	while (!s.n) {
		s.q[s.waiting++] = self();
		block(ct_sem(&s), 0, CT_HERE);
	}
	ct_level(ct_sem(&s), --s.n);
	leave();
}
static void impatient(void *arg)
{
	uint64_t until = now() + 100000000000;

	(void)arg;
	get_one();
	enter();
	s.q[s.waiting++] = self();
	block(ct_any(CT_ON_SEM), now() + 20000000, CT_HERE);
	if (mended)
		s.waiting--;
	while (now() < until)			/* woken early, it sleeps on */
		block(ct_timer(until), until, CT_HERE);
	leave();
}
static void patient(void *arg)
{
	(void)arg;
	get_one();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&s), 0);
	leave();
	go(impatient, NULL, "impatient");
	settle();
	enter();
	put_one();
	leave();
	pause_ms(60);
	go(patient, NULL, "patient");
	settle();
	enter();
	put_one();
	leave();
	return pub_end(SOME);
}
