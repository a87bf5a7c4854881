/* behind.c - who waits behind whom: of a finding, those that only wait for what its coroutine has,
 * or for its end. They are counted with it instead of being accused: one holder that forgot its
 * lock is one finding, however many want it. Contracts in verdict.h. */
#include <stdlib.h>

#include "judge/judge.h"

/* A lock that is nobody's, or free, is one thing that is the matter, not one for each who waits. */
static struct object *lock_of(const struct ctt_finding *f)
{
	const struct evidence *e = f->coro->evidence;
	struct object *o = e && !f->gone_ts ? e->on : NULL;

	if (!o || f->cycle)
		return NULL;
	if (f->verdict == CTT_V_DEAD_OWNER || f->verdict == CTT_V_STUCK_LOCK)
		return o;
	return o->kind == CTT_ON_MUTEX &&
			(f->verdict == CTT_V_READY_RESOURCE || f->verdict == CTT_V_WASTED_WAKE) ?
		o :
		NULL;
}

static void add(struct ctt_finding *f, struct evidence *e)
{
	e->behind = true;
	*ADD(f->behind, f->behind_count, f->behind_room) = e->c->id;
}

/* Once for each object, however many have it: who is not added then never is. */
static void add_waiters(struct ctt_finding *f, struct object *o)
{
	if (!o || o->followed)
		return;
	o->followed = true;
	for (struct evidence *w = o->waiters; w; w = w->next)
		if (!w->behind && !w->accused && w->c->state == CTT_CORO_SUSPENDED &&
			!w->c->system && !w->c->doubted && !w->in_cycle)
			add(f, w);
}

/* Those that wait for what c has, or for c. */
static void add_behind(struct ctt_judge *j, struct ctt_finding *f, struct ctt_coro *c)
{
	static const enum ctt_on_kind kinds[] = { CTT_ON_CORO, CTT_ON_JOIN };

	for (size_t i = 0; i < 2; i++) {
		struct ctt_on on = { kinds[i], true, true, c->id, { NULL, 0 } };

		add_waiters(f, object_find(j, &on, 0));
	}
	for (const struct hold *h = evidence_of(c)->has.held; h; h = h->next_held)
		add_waiters(f, h->object);
}

static void follow(struct ctt_judge *j, struct ctt_finding *f)
{
	if (f->gone_ts)
		return;
	if (!f->cycle)
		add_behind(j, f, ctt_model_coro(j->model, f->coro->id));
	for (uint32_t i = 0; i < f->cycle_count; i++)
		add_behind(j, f, ctt_model_coro(j->model, f->cycle[i]));
	for (size_t i = 0; i < f->behind_count; i++)
		add_behind(j, f, ctt_model_coro(j->model, f->behind[i]));
}

/* Is g one that stands for f, about the same lock? Of those in one state the first that came. */
static bool stands_for(const struct ctt_finding *g, const struct ctt_finding *f)
{
	return g != f && g->verdict == f->verdict && g->certainty == f->certainty &&
		g->cause.line == f->cause.line &&
		(g->because == f->because || f->verdict == CTT_V_READY_RESOURCE);
}

static bool before(const struct ctt_finding *a, const struct ctt_finding *b)
{
	return a->since != b->since ? a->since < b->since : a->coro->id < b->coro->id;
}

/* The finding that speaks for each lock. */
static void choose_first(struct ctt_judge *j)
{
	for (size_t i = 0; i < j->count; i++) {
		struct ctt_finding *f = &j->findings[i];
		struct object *o = lock_of(f);

		if (o && (!o->first || !stands_for(o->first, f) || before(f, o->first)))
			o->first = f;
	}
}

/* Take the others out, into the first's. */
static void merge(struct ctt_judge *j)
{
	size_t kept = 0;

	for (size_t i = 0; i < j->count; i++) {
		struct ctt_finding *f = &j->findings[i];
		struct object *o = lock_of(f);
		struct evidence *e = f->coro->evidence;

		f->merged = o && o->first && stands_for(o->first, f);
		if (f->merged)
			add(o->first, e);
		else if (e && !f->gone_ts)
			e->accused = f->certainty != CTT_HINT || f->cycle;
	}
	for (size_t i = 0; i < j->count; i++)
		if (!j->findings[i].merged)
			follow(j, &j->findings[i]);
	for (size_t i = 0; i < j->count; i++) {
		struct ctt_finding *f = &j->findings[i];
		const struct evidence *e = f->coro->evidence;
		/* that one came later than others is what is to be expected of a victim */
		bool victim = f->certainty == CTT_HINT && f->verdict == CTT_V_STRAGGLER && e &&
			e->behind;

		if (f->merged || victim)
			free(f->behind);
		else
			j->findings[kept++] = *f;
	}
	j->count = kept;
}

static void explain(struct ctt_judge *j, uint64_t id)
{
	evidence_of(ctt_model_coro(j->model, id))->explained = true;
}

/* Why these wait is said. */
static void explain_all(struct ctt_judge *j)
{
	for (size_t i = 0; i < j->count; i++) {
		const struct ctt_finding *f = &j->findings[i];

		if (f->certainty > CTT_SUSPECTED || f->gone_ts)
			continue;
		explain(j, f->coro->id);
		for (uint32_t k = 0; k < f->cycle_count; k++)
			explain(j, f->cycle[k]);
		for (size_t k = 0; k < f->behind_count; k++)
			explain(j, f->behind[k]);
	}
}

void judge_behind(struct ctt_judge *j)
{
	choose_first(j);
	merge(j);
	explain_all(j);
}
