/* box.c - what an event costs in a black box, beside one that goes to a recorder: box
 *
 * Two processes, one attached as t/bench/probe.c is, one with a box, run the same loop in turn; the medians of each, and of the
 * ratios of neighbours, are printed as "KEY NUMBER", ns an event. The same for creating and destroying coroutines.
 */
#include <sys/wait.h>
#include "attach.h"

enum { ROUNDS = 61 };
static struct ctp_ring nobody;
static struct ct_coro coro;

static void events(void)
{
	uint64_t i, k;

	for (i = 0; i < EVENTS; i += 1024) {
		ctp_store(&ring->tail, ring->head);
		for (k = 0; k < 512; k++) {
			ct_resume(&coro);
			ct_suspend(&coro, CT_HERE, ct_fd(3));
		}
	}
}

static void lives(void)
{
	uint64_t i, k;

	for (i = 0; i < EVENTS; i += 1024) {
		ctp_store(&ring->tail, ring->head);
		for (k = 0; k < 512; k++) {
			ct_create(&coro, 7, CT_HERE, &coro, NULL);
			ct_destroy(&coro, 1);
		}
	}
}

/* Run each loop that a byte asks for, and write how long it took. */
static void serve(int in, int out)
{
	char what;

	ct_create(&coro, 0, CT_NOWHERE, NULL, NULL);
	while (read(in, &what, 1) == 1) {
		double start = seconds(), took;

		(what == 'e' ? events : lives)();
		took = (seconds() - start) * 1e9 / EVENTS;
		if (what == 'l')
			ct_create(&coro, 0, CT_NOWHERE, NULL, NULL);
		if (write(out, &took, sizeof took) != sizeof took)
			break;
	}
	exit(0);
}

struct contestant { int to, from; };

static struct contestant start(const char *box)
{
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		exit(2);
	if (fork() == 0) {
		close(to[1]);
		if (box) {
			ring = &nobody;
			if (!ct_box(box))
				exit(2);
		} else {
			attach(0);
		}
		serve(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	return (struct contestant){ to[1], from[0] };
}

static double turn(struct contestant *c, char what)
{
	double took;

	if (write(c->to, &what, 1) != 1 || read(c->from, &took, sizeof took) != sizeof took)
		exit(2);
	return took;
}

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v)
{
	qsort(v, ROUNDS, sizeof *v, order);
	return v[ROUNDS / 2];
}

static void compare(const char *name, struct contestant *traced, struct contestant *box, char what)
{
	double a[ROUNDS], b[ROUNDS], ratio[ROUNDS];
	int i;

	for (i = -3; i < ROUNDS; i++) {
		int k = i < 0 ? 0 : i;

		a[k] = turn(traced, what);
		b[k] = turn(box, what);
		ratio[k] = b[k] / a[k];
	}
	printf("%s-traced %.2f\n%s-box %.2f\n%s-ratio %.3f\n", name, median(a), name, median(b), name, median(ratio));
}

int main(void)
{
	struct contestant traced = start(NULL), box = start("1"), wide = start("1,slots=65536");

	compare("event", &traced, &box, 'e');
	compare("event-65536", &traced, &wide, 'e');
	compare("life", &traced, &box, 'l');
	close(traced.to);
	close(box.to);
	close(wide.to);
	while (wait(NULL) > 0)
		;
	return 0;
}
