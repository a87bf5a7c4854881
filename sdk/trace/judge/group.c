/* group.c - groups that can only wake one another, where traces do not show what is waited on
 * (Go's): all who ever woke anybody at a site wait themselves, in the same way. No proof: somebody
 * who never woke anybody there may yet. */
#include <string.h>

#include "judge/judge.h"

/* so many times the longest wait that ended well; one pass a link of a chain */
enum { TIMES = 10, PASSES = 64 };

void point_woken(struct evidence *e, uint64_t by)
{
	struct point *p = e->point;
	size_t i = 0;

	if (!p && !e->before && !e->c->created)
		e->before = by ? by : UINT64_MAX;
	if (!p || e->c->on.known)
		return;
	p->outside |= !by;	/* a timer, the network, a plain thread */
	while (i < p->waker_count && p->wakers[i] != by)
		i++;
	if (i == WAKERS)
		/* too many to follow: requests, mostly, of which there will be more */
		p->outside = true;
	else if (i == p->waker_count && by)
		p->wakers[p->waker_count++] = by;
}

bool waits_unnamed(const struct ctt_coro *c)
{
	static const unsigned kinds = 1u << CTT_ON_MUTEX | 1u << CTT_ON_SEM | 1u << CTT_ON_CHAN |
		1u << CTT_ON_COND | 1u << CTT_ON_JOIN;

	return c->state == CTT_CORO_SUSPENDED && !c->system && !c->on.known &&
		kinds >> c->on.kind & 1;
}

static bool waits_for_one(const struct ctt_coro *c)
{
	return waits_unnamed(c) && !waits_for_several(c);
}

static bool may_be_in_group(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	const struct point *p = e ? e->point : NULL;
	uint64_t now = end_for(j, c);

	return p && waits_for_one(c) && !p->outside && !p->renewed && p->waker_count &&
		!(p->waker_count == 1 && p->wakers[0] == c->id) && now > e->suspended &&
		now - e->suspended >= j->grace && (now - e->suspended) / TIMES > p->longest_ns &&
		!(is_lock(c) && holder_may_work(j, e));
}

/* Who created one that has ended may create another. */
static bool is_grouped(const struct ctt_judge *j, uint64_t id)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, id);

	return c && c->evidence && ((const struct evidence *)c->evidence)->grouped;
}

/* Who receives what is sent wakes the sender only where that had to wait. */
static bool only_grouped_wake(const struct ctt_judge *j, const struct evidence *e)
{
	const struct point *p = e->point;
	size_t i = 0, k = 0;

	while (i < p->waker_count && is_grouped(j, p->wakers[i]))
		i++;
	while (k < p->taker_count && is_grouped(j, p->takers[k].id))
		k++;
	return i == p->waker_count && k == p->taker_count &&
		(!e->before || is_grouped(j, e->before));
}

void judge_groups(struct ctt_judge *j)
{
	bool changed = true;
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->evidence)
			evidence_of(c)->grouped = may_be_in_group(j, c);
	for (int pass = 0; changed; pass++) {
		changed = false;
		for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
			struct evidence *e = c->evidence;

			if (e && e->grouped &&
				(pass == PASSES || !only_grouped_wake(j, e))) {
				e->grouped = false;
				changed = true;
			}
		}
	}
}

bool rule_group(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	(void)j;
	if (!e->grouped)
		return false;
	f->verdict = CTT_V_DEADLOCK;
	f->certainty = CTT_SUSPECTED;
	f->because =
		"all who ever woke anybody here wait as well, and nobody but them ever woke those";
	f->help = deadlock_help(1u << e->c->on.kind);
	add_fact(f, suspend_fact(e->c));
	return true;
}
