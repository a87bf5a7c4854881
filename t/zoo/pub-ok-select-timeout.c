/* pub-ok-select-timeout.c - two locks in two orders, but one of the two gives up after a while.
 * expect: nothing proven */
#include "pub.h"

static struct lock x, y;
static void patient(void *arg)
{
	(void)arg;
	lock_get(&y);
	sleep_ms(30);
	lock_get(&x);
}
static void limited(void *arg)
{
	(void)arg;
	lock_get(&x);
	sleep_ms(30);
	enter();
	add_leg(self(), &y.wl, ct_mutex(&y));
	block_as(ANY_OF, ct_nothing(), now() + 100000 * 1000000ull, CT_HERE);
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(patient, NULL, "patient");
	go(limited, NULL, "limited");
	pause_ms(80);
	return pub_end(SOME);
}
