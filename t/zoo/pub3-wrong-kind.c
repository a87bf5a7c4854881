/* pub3-wrong-kind.c - who sends and who receives wait on one condition, and one of them is woken for the other's sake.
 * expect: nothing proven
 * After nim-lang/Nim#26230: a signal to the wrong kind is lost. Mended, all are woken. */
#include "pub.h"

static struct { int n; struct wl wl; } q = { .n = 1 };
static void tell(void)
{
	uint64_t woken = 0;

	while (wake_first(&q.wl) && ++woken && mended)
		;
	ct_notify(ct_cond(&q), woken);
}
static void sender(void *arg)
{
	(void)arg;
	enter();
	while (q.n == 1)
		wait_for(&q.wl, ct_cond(&q));
	q.n++;
	tell();
	leave();
}
static void receiver(void *arg)
{
	(void)arg;
	enter();
	for (int i = 0; i < 3; i++) {
		while (!q.n)
			wait_for(&q.wl, ct_cond(&q));
		q.n--;
		tell();
	}
	leave();
}

int main(int argc, char **argv)
{
	pub_start(argc, argv);
	go(sender, NULL, "sender");
	settle();
	go(sender, NULL, "sender");
	settle();
	go(receiver, NULL, "receiver");
	return pub_end(SOME);
}
