/* wait-graph.c - the wait-for graph at the end of a run: who alone could wake whom.
 *
 * Who waits for a coroutine has one who could wake it; who waits for a lock has all of its holders.
 * First everybody who could be woken is taken out, then those whom they could wake, and so on: what
 * remains is stuck. Waiters lead to the thing they wait on and that to its holders, so edges are
 * linear in coroutines and holds. */
#include <stdlib.h>

#include "judge/wait-graph.h"

/* May the release of that lock, or of a permit used as one, be what its waiters wait for? And can
 * only its holders, all of them coroutines that live, bring it about? */
static bool only_holders_free(const struct object *o)
{
	if ((o->left && !has_ends(o) && !(o->kind == CTT_ON_SEM && permits_all_held(o))) ||
		(has_ends(o) && o->passed_on) ||
		(o->kind == CTT_ON_SEM &&
			(o->passed_on || o->refilled ||
				(o->again && !o->returns && !permits_all_held(o)))) ||
		(o->kind != CTT_ON_SEM && !is_lockable(o) && !has_ends(o)) ||
		(o->level_known.line && o->level && o->level_known.ts > o->holds->acquired.ts))
		return false;	/* or somebody says that it is free */
	for (const struct hold *h = o->holds; h; h = h->next)
		/* a thread's, or one's that was not known when it took it */
		if (!hold_lives(h))
			return false;
	return true;
}

struct object *graph_lock_at(const struct ctt_coro *c, struct object *o)
{
	if (!o || !o->holds)
		return NULL;
	if (o->passage == UNSEEN)
		o->passage = only_holders_free(o) ? HOLDERS_ONLY : PASSABLE;
	if (o->passage == PASSABLE ||
		(o->kind == CTT_ON_SEM && !o->returns && hold_find(o, c->id, 0) &&
			!permits_all_held(o)))
		return NULL;	/* permits that are taken to be used up */
	return o;
}

struct object *graph_lock(const struct ctt_coro *c)
{
	struct evidence *e = c->evidence;

	return graph_lock_at(c, e ? e->on : NULL);
}

struct ctt_coro *graph_awaited_at(const struct ctt_judge *j, const struct object *o)
{
	bool awaits = o && (o->kind == CTT_ON_CORO || o->kind == CTT_ON_JOIN);

	return awaits ? ctt_model_coro(j->model, o->key) : NULL;
}

struct ctt_coro *graph_awaited(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;

	return graph_awaited_at(j, e ? e->on : NULL);
}

static bool leg_hangs(struct ctt_judge *j, const struct leg *l)
{
	return !l->done.line && (graph_lock_at(l->e->c, l->on) || graph_awaited_at(j, l->on));
}

bool graph_leg_unknown(const struct ctt_coro *c, uint32_t leg)
{
	return c->legs && leg < c->legs->count && c->legs->leg[leg].on.kind == CTT_ON_NONE;
}

/* Who waits for any of several needs all of them to hang, or to be gone; for all of several, one.
 * What nobody knows may come, and may not: it is left out, and its cycle only suspected. */
static bool legs_hang(struct ctt_judge *j, const struct ctt_coro *c)
{
	struct evidence *e = c->evidence;
	struct legs *of = e ? e->legs : NULL;
	bool hope = false;

	if (!of)
		return false;
	of->open = 0;
	for (uint32_t i = 0; i < of->count; i++) {
		bool hangs = leg_hangs(j, &of->leg[i]);

		of->open += hangs;
		hope |= !graph_leg_unknown(c, i) && !hangs && !of->leg[i].done.line;
	}
	return of->open && (of->all || !hope);
}

/* Do only live coroutines stand between it and its waking? */
static bool may_be_stuck(struct ctt_judge *j, const struct ctt_coro *c)
{
	return c->state == CTT_CORO_SUSPENDED && !c->doubted && !c->untraced &&
		(graph_lock(c) || graph_awaited(j, c) || channel_of(j, c) || legs_hang(j, c));
}

struct list { struct ctt_coro **item; size_t count; };

/* May one of its branches go on, and give back what it took, though another is stuck? What is awaited
 * there is a branch by itself, and has taken by itself what it has. */
static bool may_branch(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct legs *of = ((struct evidence *)c->evidence)->legs;

	for (uint32_t i = 0; of && of->all && i < of->count; i++) {
		const struct leg *l = &of->leg[i];

		if (!l->done.line && !(l->on && l->on->kind == CTT_ON_CORO) &&
			!(leg_hangs(j, l) && !l->on->freed))
			return true;
	}
	return false;
}

static void add_branching(struct ctt_judge *j, struct evidence *e, struct list *free)
{
	if (e->branching || !may_branch(j, e->c))
		return;
	e->branching = true;
	free->item[free->count++] = e->c;
}

static void free_waiters(struct ctt_judge *j, struct object *o, struct list *free)
{
	if (!o || o->freed)
		return;
	o->freed = true;
	for (struct evidence *w = o->waiters; w; w = w->next)
		if (w->stuck) {
			w->stuck = false;
			free->item[free->count++] = w->c;
		}
	for (struct leg *l = o->legs; l; l = l->next) {
		if (!l->e->stuck || !leg_hangs(j, l))
			continue;
		if (l->e->legs->all && --l->e->legs->open) {
			add_branching(j, l->e, free);
			continue;
		}
		l->e->stuck = false;
		free->item[free->count++] = l->e->c;
	}
}

/* It goes on, or one of its branches does: so do they who wait for its end, or what it has. */
static void free_behind(struct ctt_judge *j, struct ctt_coro *c, struct list *free)
{
	static const enum ctt_on_kind kinds[] = { CTT_ON_CORO, CTT_ON_JOIN };
	const struct evidence *e = c->evidence;
	bool whole = !e || !e->stuck;

	for (size_t i = 0; whole && i < 2; i++) {
		struct ctt_on on = { kinds[i], true, true, c->id, { NULL, 0 } };

		free_waiters(j, object_find(j, &on, 0), free);
	}
	for (struct hold *h = e ? e->has.held : NULL; h; h = h->next_held)
		if (whole || h->acquired.ts >= e->joined)
			free_waiters(j, h->object, free);
	for (struct seat *s = whole && e ? e->seats : NULL; s; s = s->next)
		free_waiters(j, s->o, free);
}

void graph_find_stuck(struct ctt_judge *j)
{
	/* one that branches may be freed as a whole later */
	struct list free_ones = {
		need(malloc((2 * ctt_model_live(j->model) + 1) * sizeof(struct ctt_coro *))), 0
	};
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		if (!may_be_stuck(j, c)) {
			free_ones.item[free_ones.count++] = c;
			continue;
		}
		evidence_of(c)->stuck = true;
		add_branching(j, c->evidence, &free_ones);
	}
	while (free_ones.count)
		free_behind(j, free_ones.item[--free_ones.count], &free_ones);
	free(free_ones.item);
}

struct vertex *graph_leg_edge(struct ctt_judge *j, const struct leg *l)
{
	struct object *o = leg_hangs(j, l) ? graph_lock_at(l->e->c, l->on) : NULL;
	struct ctt_coro *a = graph_awaited_at(j, l->on);

	if (o && !o->freed) {
		o->vertex.is_object = true;
		return &o->vertex;
	}
	return !l->done.line && a && a->evidence && ((struct evidence *)a->evidence)->stuck ?
		vertex_of(a) :
		NULL;
}

static struct vertex *next_leg(struct ctt_judge *j, struct vertex *v)
{
	const struct legs *of = EVIDENCE(v)->legs;
	struct vertex *to = NULL;

	while (!to && v->party < of->count)
		to = graph_leg_edge(j, &of->leg[v->party++]);
	return to;
}

struct vertex *graph_next_edge(struct ctt_judge *j, struct vertex *v, bool first)
{
	struct hold *h;
	struct object *o;

	if (v->is_object && OBJECT(v)->traffic && OBJECT(v)->passage != HOLDERS_ONLY) {
		const struct parties *p = channel_parties(OBJECT(v));

		return v->party < p->count ?
			vertex_of(ctt_model_coro(j->model, p->id[v->party++])) :
			NULL;
	}
	if (v->is_object) {
		h = v->edge;
		v->edge = h ? h->next : NULL;
		return h ? vertex_of(ctt_model_coro(j->model, h->by)) : NULL;
	}
	if (EVIDENCE(v)->legs)
		return next_leg(j, v);
	if (!first)
		return NULL;
	o = graph_lock(EVIDENCE(v)->c);
	if (!o && channel_of(j, EVIDENCE(v)->c))
		o = EVIDENCE(v)->on;
	if (!o)
		return vertex_of(graph_awaited(j, EVIDENCE(v)->c));
	o->vertex.is_object = true;
	return &o->vertex;
}
