/* judge-deadlock.c - circles of coroutines that wait for one another. Each waits for one thing, so each has one edge at
 * most: following it until something is met again finds every circle once, without recursion. */
#include <stdlib.h>

#include "judge.h"

/* Who alone could wake c, when c waits for a coroutine or a lock; NULL: somebody else may. */
static struct coro *waits_for(struct judge *j, struct coro *c)
{
	struct evidence *e = c->evidence;
	struct object *o = e ? e->on : NULL;

	if (!o || c->state != CORO_SUSPENDED)
		return NULL;
	if (o->kind == ON_CORO || o->kind == ON_JOIN)
		return model_coro(j->model, o->key);
	return o->kind == ON_MUTEX && o->held && o->holder ? model_coro(j->model, o->holder) : NULL;
}

static void accuse_circle(struct judge *j, struct coro *first)
{
	struct finding f = { .verdict = V_DEADLOCK, .certainty = PROVEN,
		.because = "each waits for the next, the last for the first: nobody is left who could wake them" };
	struct coro *c = first, *low = first;

	do {
		low = c->id < low->id ? c : low;
		f.cycle_count++;
		((struct evidence *)c->evidence)->in_cycle = true;
	} while ((c = waits_for(j, c)) != first);
	f.coro = low;
	f.cycle = need(calloc(f.cycle_count, sizeof(*f.cycle)));
	c = low;
	for (uint32_t i = 0; i < f.cycle_count; i++, c = waits_for(j, c)) {
		const struct object *o = ((struct evidence *)c->evidence)->on;

		f.cycle[i] = c->id;
		if (o->held)
			add_fact(&f, o->acquired);
		add_fact(&f, suspend_fact(c));
		if (c->last_ts > f.cause.ts)	/* the one that closed the circle */
			f.cause = suspend_fact(c);
		if (o->kind == ON_MUTEX && o->shared)
			f.certainty = SUSPECTED;
	}
	add_finding(j, &f);
}

void judge_deadlocks(struct judge *j)
{
	uint32_t walk = 0;
	struct coro *c;

	for (size_t i = 0; (c = model_next(j->model, &i));) {
		struct coro *at = c;

		walk++;
		while (at && at->evidence && !((struct evidence *)at->evidence)->mark) {
			((struct evidence *)at->evidence)->mark = walk;
			at = waits_for(j, at);
		}
		if (at && at->evidence && ((struct evidence *)at->evidence)->mark == walk && waits_for(j, at))
			accuse_circle(j, at);
	}
}
