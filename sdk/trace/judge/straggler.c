/* straggler.c - verdicts on the merely late: straggler, silent. Contracts in verdict.h. */
#include <stdlib.h>

#include "judge/judge.h"

/* so many others left; so many times their longest wait */
enum { MANY = 8, TIMES = 10 };

static int by_point(const void *a, const void *b)
{
	const struct { struct point *point; uint64_t ts; } *x = a, *y = b;

	if (x->point->site != y->point->site)
		return x->point->site < y->point->site ? -1 : 1;
	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

/* When each live coroutine last left a point, sorted: so that counting the later ones is one
 * search. */
static void list_moved_on(struct ctt_judge *j)
{
	struct ctt_coro *c;

	j->moved_on = need(calloc(ctt_model_live(j->model) * POINTS + 1, sizeof(*j->moved_on)));
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct evidence *e = c->evidence;

		for (size_t k = 0; e && k < POINTS && e->left[k].point; k++) {
			j->moved_on[j->moved_on_count].point = e->left[k].point;
			j->moved_on[j->moved_on_count++].ts = e->left[k].ts;
		}
	}
	qsort(j->moved_on, j->moved_on_count, sizeof(*j->moved_on), by_point);
}

/* How many of them left `p` at `ts` or later. */
static size_t left_since(const struct ctt_judge *j, const struct point *p, uint64_t ts)
{
	size_t bound[2];

	for (int upper = 0; upper < 2; upper++) {
		size_t lo = 0, hi = j->moved_on_count;

		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;
			bool below = j->moved_on[mid].point->site < p->site ||
				(j->moved_on[mid].point == p &&
					(upper || j->moved_on[mid].ts < ts));

			lo = below ? mid + 1 : lo;
			hi = below ? hi : mid;
		}
		bound[upper] = lo;
	}
	return bound[1] - bound[0];
}

bool rule_straggler(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	uint64_t now = end_for(j, e->c), waits = now > e->suspended ? now - e->suspended : 0;
	enum ctt_on_kind kind = e->c->on.kind;
	struct point *p = e->point;

	if (!p || kind == CTT_ON_TIMER || (kind >= CTT_ON_SYSCALL && kind <= CTT_ON_RUNTIME) ||
		waits / TIMES <= p->longest_ns)
		return false;
	/* idle connections of a Go program */
	if ((kind == CTT_ON_FD && !e->c->on.known) || waits_for_several(e->c))
		return false;
	if (!j->moved_on)
		list_moved_on(j);
	if (left_since(j, p, e->suspended) + p->ended - e->point_ended < MANY)
		return false;
	f->verdict = CTT_V_STRAGGLER;
	f->certainty = CTT_HINT;
	f->because =
		"at least 8 others came and left here since, none of them waiting a tenth as long";
	add_fact(f, suspend_fact(e->c));
	return true;
}

bool rule_silent(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	(void)j;
	if (!e->c->v1)
		return false;
	f->verdict = CTT_V_SILENT;
	f->certainty = CTT_SUSPECTED;
	f->because =
		"suspended to the end; a version 1 trace reports no wakes, closes or ends, so it proves nothing";
	add_fact(f, suspend_fact(e->c));
	return true;
}
