/* pub4-ok-token-bucket.c - three tokens are there, who is first in the queue wants five, and the next come in a minute.
 * nothing: in order
 * After golang.org/x/time/rate and x/sync/semaphore: the head of the queue holds back those behind it, by design. */
#include "pub.h"

static uint64_t n;
static uint64_t wants[16];
static struct wl wl;
static size_t first, last;
static void give(uint64_t more)
{
	ct_level(ct_sem(&n), n += more);
	while (first < last && wants[first] <= n) {
		ct_level(ct_sem(&n), n -= wants[first++]);
		wake_first(&wl);
	}
}
static void takes(void *arg)
{
	uint64_t k = (uint64_t)(uintptr_t)arg;

	enter();
	if (first == last && k <= n) {
		ct_level(ct_sem(&n), n -= k);
	} else {
		wants[last++] = k;
		wait_for(&wl, ct_sem(&n));
	}
	leave();
}

int main(int argc, char **argv)
{
	static const uintptr_t k[] = { 3, 5, 4, 5, 6, 5, 1 };

	pub_start(argc, argv);
	enter();
	ct_level(ct_sem(&n), 0);
	leave();
	for (size_t i = 0; i < sizeof(k) / sizeof(*k); i++) {
		go(takes, (void *)k[i], "takes");
		settle();
	}
	for (int i = 0; i < 5; i++) {
		enter();
		give(4);
		leave();
		settle();
	}
	return pub_end(SOME);
}
