/* pub9-ok-spare.c - three take from a queue; another is woken only where none is at work, and the last that came to wait first.
 * nothing: in order
 * Healthy: jobs come as fast as one does them, so the queue is never empty, and two are spare, as in pools of threads. */
#include "pub.h"

static struct { uint64_t n; int at_work; struct wl idle; } q;
static void wait_first(struct wl *w, struct ct_on on)
{
	struct leg *others = w->first;

	w->first = NULL;
	add_leg(self(), w, on);
	w->first->next = others;
	block(on, 0, CT_HERE);
}
static void hand(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		while (!q.n) {
			q.at_work -= self()->scratch != NULL;
			self()->scratch = &q;
			wait_first(&q.idle, ct_chan(&q));
		}
		ct_level(ct_chan(&q), --q.n);
		leave();
		sleep_ms(6);
	}
}
static void source(void *arg)
{
	(void)arg;
	for (;;) {
		enter();
		ct_level(ct_chan(&q), ++q.n);
		if (!q.at_work && wake_first(&q.idle))
			q.at_work++;
		leave();
		sleep_ms(4);
	}
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	enter();
	ct_level(ct_chan(&q), 0);
	leave();
	for (int i = 0; i < 3; i++) {
		go(hand, NULL, "hand");
		settle();
	}
	go(source, NULL, "source");
	return pub_end(SOME);
}
