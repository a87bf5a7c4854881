/* deadlock.c - cycles of coroutines that wait for one another.
 *
 * Who waits for a coroutine has one who could wake it; who waits for a lock has all of its holders.
 * First everybody who could be woken is taken out, then those whom they could wake, and so on: what
 * remains is stuck. Its strongly connected components (Tarjan's, without recursion) are the cycles;
 * the others only wait for one. Waiters lead to the thing they wait on and that to its holders, so
 * time is linear in coroutines and holds. */
#include <stdlib.h>

#include "judge/judge.h"

/* May the release of that lock, or of a permit used as one, be what its waiters wait for? And can
 * only its holders, all of them coroutines that live, bring it about? */
static bool only_holders_free(const struct object *o)
{
	if (o->left || (is_channel(o) && o->passed_on) ||
		(o->kind == CTT_ON_SEM && (o->passed_on || (o->again && !o->returns))) ||
		(o->kind != CTT_ON_SEM && o->kind != CTT_ON_MUTEX && !is_channel(o)) ||
		(o->level_known.line && o->level && o->level_known.ts > o->holds->acquired.ts))
		return false;	/* or somebody says that it is free */
	for (const struct hold *h = o->holds; h; h = h->next)
		/* a thread's, or one's that was not known when it took it */
		if (!h->prev_held)
			return false;
	return true;
}

/* NULL: c, who waits for it, could be woken by others than its holders. */
static struct object *lock_at(const struct ctt_coro *c, struct object *o)
{
	if (!o || !o->holds)
		return NULL;
	if (o->passage == UNSEEN)
		o->passage = only_holders_free(o) ? HOLDERS_ONLY : PASSABLE;
	if (o->passage == PASSABLE ||
		(o->kind == CTT_ON_SEM && !o->returns && hold_find(o, c->id, 0)))
		return NULL;	/* permits that are taken to be used up */
	return o;
}

static struct object *lock_of(const struct ctt_coro *c)
{
	struct evidence *e = c->evidence;

	return lock_at(c, e ? e->on : NULL);
}

static struct ctt_coro *awaited_at(const struct ctt_judge *j, const struct object *o)
{
	bool awaits = o && (o->kind == CTT_ON_CORO || o->kind == CTT_ON_JOIN);

	return awaits ? ctt_model_coro(j->model, o->key) : NULL;
}

static struct ctt_coro *awaited_by(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;

	return awaited_at(j, e ? e->on : NULL);
}

static bool leg_hangs(struct ctt_judge *j, const struct leg *l)
{
	return !l->done.line && (lock_at(l->e->c, l->on) || awaited_at(j, l->on));
}

/* Something else may wake it, nobody knows what. */
static bool is_unknown(const struct ctt_coro *c, uint32_t leg)
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
		hope |= !is_unknown(c, i) && !hangs && !of->leg[i].done.line;
	}
	return of->open && (of->all || !hope);
}

/* Do only live coroutines stand between it and its waking? */
static bool may_be_stuck(struct ctt_judge *j, const struct ctt_coro *c)
{
	return c->state == CTT_CORO_SUSPENDED && !c->doubted && 
		(lock_of(c) || awaited_by(j, c) || channel_of(j, c) || legs_hang(j, c));
}

struct list { struct ctt_coro **item; size_t count; };

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
		if (!l->e->stuck || !leg_hangs(j, l) || (l->e->legs->all && --l->e->legs->open))
			continue;
		l->e->stuck = false;
		free->item[free->count++] = l->e->c;
	}
}

/* Leave `stuck` those alone who wait only for others that are. */
static void find_stuck(struct ctt_judge *j)
{
	static const enum ctt_on_kind kinds[] = { CTT_ON_CORO, CTT_ON_JOIN };
	struct list free_ones = {
		need(malloc((ctt_model_live(j->model) + 1) * sizeof(struct ctt_coro *))), 0
	};
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		if (may_be_stuck(j, c))
			evidence_of(c)->stuck = true;
		else
			free_ones.item[free_ones.count++] = c;
	}
	while (free_ones.count) {
		c = free_ones.item[--free_ones.count];
		for (size_t i = 0; i < 2; i++) {
			struct ctt_on on = { kinds[i], true, true, c->id, { NULL, 0 } };

			free_waiters(j, object_find(j, &on, 0), &free_ones);
		}
		for (struct hold *h = c->evidence ? ((struct evidence *)c->evidence)->held : NULL;
			h; h = h->next_held)
			free_waiters(j, h->object, &free_ones);
		for (struct seat *s = c->evidence ? ((struct evidence *)c->evidence)->seats : NULL;
			s; s = s->next)
			free_waiters(j, s->o, &free_ones);
	}
	free(free_ones.item);
}

#define EVIDENCE(v) ((struct evidence *)((char *)(v) - offsetof(struct evidence, vertex)))
#define OBJECT(v) ((struct object *)((char *)(v) - offsetof(struct object, vertex)))

static struct vertex *vertex_of(struct ctt_coro *c)
{
	return c ? &((struct evidence *)c->evidence)->vertex : NULL;
}

/* Where that leg of one that is stuck leads; NULL: it may come yet, or is gone. */
static struct vertex *leg_edge(struct ctt_judge *j, const struct leg *l)
{
	struct object *o = leg_hangs(j, l) ? lock_at(l->e->c, l->on) : NULL;
	struct ctt_coro *a = awaited_at(j, l->on);

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
		to = leg_edge(j, &of->leg[v->party++]);
	return to;
}

/* Where it leads next; NULL: it has led everywhere. */
static struct vertex *next_edge(struct ctt_judge *j, struct vertex *v, bool first)
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
	o = lock_of(EVIDENCE(v)->c);
	if (!o && channel_of(j, EVIDENCE(v)->c))
		o = EVIDENCE(v)->on;
	if (!o)
		return vertex_of(awaited_by(j, EVIDENCE(v)->c));
	o->vertex.is_object = true;
	return &o->vertex;
}

struct search { uint32_t index, cycles; struct vertex *stack; };

static void enter(struct search *s, struct vertex *v, struct vertex *from)
{
	v->index = v->low = ++s->index;
	v->from = from;
	v->edge = v->is_object ? OBJECT(v)->holds : NULL;
	v->stacked = true;
	v->below = s->stack;
	s->stack = v;
}

static struct ctt_coro *holder_in(struct ctt_judge *j, const struct object *o, uint32_t cycle)
{
	for (const struct hold *h = o->holds; h; h = h->next)
		if (vertex_of(ctt_model_coro(j->model, h->by))->low == cycle)
			return ctt_model_coro(j->model, h->by);
	return NULL;
}

static struct ctt_coro *after_leg(struct ctt_judge *j, struct ctt_coro *c)
{
	const struct legs *of = ((struct evidence *)c->evidence)->legs;
	uint32_t cycle = vertex_of(c)->low;
	struct ctt_coro *next = NULL;

	for (uint32_t i = 0; i < of->count && !next; i++) {
		struct vertex *to = leg_edge(j, &of->leg[i]);

		if (to && to->is_object && to->low == cycle)
			next = holder_in(j, of->leg[i].on, cycle);
		else if (to && to->low == cycle)
			next = awaited_at(j, of->leg[i].on);
	}
	return next ? next : c;
}

/* The coroutine after c on its cycle: itself where that leads nowhere. */
static struct ctt_coro *after(struct ctt_judge *j, struct ctt_coro *c)
{
	struct object *o = lock_of(c);
	uint32_t cycle = vertex_of(c)->low;
	const struct parties *p = o ? NULL : channel_of(j, c);

	if (((struct evidence *)c->evidence)->legs)
		return after_leg(j, c);
	for (uint32_t i = 0; p && i < p->count; i++)
		if (vertex_of(ctt_model_coro(j->model, p->id[i]))->low == cycle)
			return ctt_model_coro(j->model, p->id[i]);
	if (p)
		return c;
	if (!o)
		return awaited_by(j, c);
	for (struct hold *h = o->vertex.edge ? o->vertex.edge : o->holds; h; h = h->next)
		if (vertex_of(ctt_model_coro(j->model, h->by))->low == cycle) {
			o->vertex.edge = h;	/* for the next who asks */
			return ctt_model_coro(j->model, h->by);
		}
	return c;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void add_lock(struct ctt_finding *f, struct ctt_coro *c,
	struct object *o)
{
	for (struct hold *h = o && !o->reported ? o->holds : NULL; h; h = h->next) {
		add_fact(f, h->acquired);
		if ((h->sent && !is_channel(o)) || o->passed_on ||
			(o->kind == CTT_ON_SEM && !o->returns))
			f->certainty = CTT_SUSPECTED;
	}
	if (o && o->kind == CTT_ON_SEM && (o->again || hold_find(o, c->id, 0)))
		f->certainty = CTT_SUSPECTED;
	if (o) {
		o->reported = true;
		f->oldest = 1;	/* whatever was lost may be that another has it, too */
	}
}

static void add_member(struct ctt_judge *j, struct ctt_finding *f, struct ctt_coro *c)
{
	const struct legs *of = ((struct evidence *)c->evidence)->legs;
	struct object *o = lock_of(c);

	add_lock(f, c, o);
	for (uint32_t i = 0; of && i < of->count; i++)
		if (leg_edge(j, &of->leg[i]))
			add_lock(f, c, lock_at(c, of->leg[i].on));
		else if (!of->all && is_unknown(c, i))
			f->certainty = CTT_SUSPECTED;
	if (!o && channel_of(j, c))
		f->certainty = CTT_SUSPECTED;
	add_fact(f, suspend_fact(c));
	if (c->last_ts > f->cause.ts)	/* the one that closed the cycle */
		f->cause = suspend_fact(c);
}

static bool through_channels(struct ctt_judge *j, const struct ctt_finding *f)
{
	for (uint32_t i = 0; i < f->cycle_count; i++)
		if (!lock_of(ctt_model_coro(j->model, f->cycle[i])) &&
			channel_of(j, ctt_model_coro(j->model, f->cycle[i])))
			return true;
	return false;
}

/* Do all of them merely wait for something to come? So do actors that rest. */
static bool only_rests(struct ctt_judge *j, const struct ctt_finding *f)
{
	for (uint32_t i = 0; i < f->cycle_count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[i]);

		if (lock_of(c) || !channel_of(j, c) || channel_is_full(c))
			return false;
	}
	return true;
}

/* Has it alone the lock that it waits for, and waits for what nobody knows, too? Then another branch
 * of it may have the lock, and go on when that comes. */
static bool only_branches(struct ctt_judge *j, const struct ctt_finding *f)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[0]);
	const struct legs *of = ((struct evidence *)c->evidence)->legs;

	for (uint32_t i = 0; f->cycle_count == 1 && of && !of->all && i < of->count; i++)
		if (is_unknown(c, i))
			return true;
	return false;
}

/* Its members stand in f->cycle: in order, from the lowest, if it is a ring, each waiting for the
 * next. */
static void accuse_component(struct ctt_judge *j, struct ctt_finding *f)
{
	struct ctt_coro *c;
	uint32_t n = 0;

	if (only_rests(j, f) || only_branches(j, f)) {
		free(f->cycle);
		return;
	}
	qsort(f->cycle, f->cycle_count, sizeof(*f->cycle), by_id);
	f->coro = c = ctt_model_coro(j->model, f->cycle[0]);
	do
		n++;
	while ((c = after(j, c)) != f->coro && n < f->cycle_count);
	f->component = n != f->cycle_count || c != f->coro;
	for (uint32_t i = 0; i < f->cycle_count; i++) {
		if (!f->component)
			f->cycle[i] = c->id;
		c = f->component ? ctt_model_coro(j->model, f->cycle[i]) : c;
		((struct evidence *)c->evidence)->in_cycle = true;
		add_member(j, f, c);
		c = after(j, c);
	}
	f->because = through_channels(j, f) ?
		"each waits for the next, where channels are concerned for those who ever took from them or put in" :
		f->component ?
		"whoever could wake one of them waits for another of them: nobody is left who could" :
		"each waits for the next, the last for the first: nobody is left who could wake them";
	add_finding(j, f);
}

/* v is the first met of its component, which lies above it on the stack. */
static void close_component(struct ctt_judge *j, struct search *s, struct vertex *v, bool to_itself)
{
	struct ctt_finding f = { .verdict = CTT_V_DEADLOCK, .certainty = CTT_PROVEN };
	bool cycle = s->stack != v || to_itself;
	struct vertex *w = s->stack;

	for (struct vertex *at = w; at != v->below; at = at->below)
		f.cycle_count += !at->is_object;
	if (cycle)
		f.cycle = need(calloc(f.cycle_count, sizeof(*f.cycle)));
	f.cycle_count = 0;
	s->cycles++;
	for (s->stack = v->below; w != s->stack; w = w->below) {
		w->stacked = false;
		w->low = s->cycles;
		if (cycle && !w->is_object)
			f.cycle[f.cycle_count++] = EVIDENCE(w)->c->id;
	}
	if (cycle)
		accuse_component(j, &f);
}

static void search_from(struct ctt_judge *j, struct search *s, struct vertex *v)
{
	bool first = true;

	enter(s, v, NULL);
	while (v) {
		struct vertex *to = next_edge(j, v, first), *from = v->from;

		first = to && !to->index;
		if (first) {
			enter(s, to, v);
			v = to;
		} else if (to) {
			if (to->stacked && to->index < v->low)
				v->low = to->index;
		} else {
			if (from && v->low < from->low)
				from->low = v->low;
			if (v->low == v->index)
				close_component(j, s, v,
					!v->is_object &&
						awaited_by(j, EVIDENCE(v)->c) == EVIDENCE(v)->c);
			v = from;
		}
	}
}

void judge_deadlocks(struct ctt_judge *j)
{
	struct search s = { 0, 0, NULL };
	struct seat *seats = channel_seats(j);
	struct ctt_coro *c;

	find_stuck(j);
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->evidence && ((struct evidence *)c->evidence)->stuck && !vertex_of(c)->index)
			search_from(j, &s, vertex_of(c));
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->evidence)
			((struct evidence *)c->evidence)->seats = NULL;
	free(seats);
}
