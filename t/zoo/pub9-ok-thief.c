/* pub9-ok-thief.c - each takes from a queue of its own, or steals of the other's; thieves are woken when four are there.
 * nothing: in order
 * Healthy: work stealing. The first is busy with its own, of which there are a few all the time. */
#include "pub.h"

enum { WORTH = 4 };
static struct q { uint64_t n; struct wl owner, thieves; } q[2];
static void hand(void *arg)
{
	struct q *own = arg, *other = own == q ? q + 1 : q;

	for (;;) {
		enter();
		while (!own->n && other->n < WORTH) {
			add_leg(self(), &own->owner, ct_chan(own));
			add_leg(self(), &other->thieves, ct_chan(other));
			block_as(ANY_OF, ct_nothing(), 0, CT_HERE);
		}
		struct q *of = own->n ? own : other;
		ct_level(ct_chan(of), --of->n);
		leave();
		sleep_ms(3);
	}
}
static void push_job(void)
{
	enter();
	ct_level(ct_chan(q), ++q->n);
	if (!wake_first(&q->owner) && q->n >= WORTH)
		wake_first(&q->thieves);
	leave();
}
static void source(void *arg)
{
	(void)arg;
	for (int i = 0; i < 6; i++)
		push_job();
	sleep_ms(60);
	push_job();
	for (;;) {
		push_job();
		sleep_ms(4);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	for (int i = 0; i < 2; i++)
		ct_level(ct_chan(q + i), 0);
	leave();
	for (int i = 0; i < 2; i++) {
		go(hand, q + i, "hand");
		settle();
	}
	go(source, NULL, "source");
	pause_ms(120);
	return pub_end(SOME);
}
