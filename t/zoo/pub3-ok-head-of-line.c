/* pub3-ok-head-of-line.c - a waiter for five permits with three there; its level is 0 as long as nobody could go on.
 * expect: nothing proven */
#include "pub.h"

static struct { int n, first; struct wl wl; } s;
static void tell(void) { ct_level(ct_sem(&s), s.wl.first && s.n < s.first ? 0 : (uint64_t)s.n); }
static void get(int k)
{
	enter();
	while (s.n < k) {
		s.first = k;
		add_leg(self(), &s.wl, ct_sem(&s));
		tell();
		block(ct_sem(&s), 0, CT_HERE);
	}
	s.n -= k;
	tell();
	leave();
}
static void give(int k)
{
	enter();
	s.n += k;
	tell();
	if (s.n >= s.first)
		wake_all(&s.wl);
	leave();
}
static void five(void *arg)
{
	(void)arg;
	get(5);
	give(5);
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	give(2);
	go(five, NULL, "five");
	settle();
	give(3);
	settle();
	enter();
	s.n = 3;
	leave();
	go(five, NULL, "five");
	return pub_end(SOME);
}
