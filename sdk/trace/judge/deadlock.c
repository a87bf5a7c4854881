/* deadlock.c - cycles of coroutines that wait for one another: the strongly connected components of
 * the wait-for graph (Tarjan's, without recursion). The others that are stuck only wait for one. */
#include <stdlib.h>

#include "judge/wait-graph.h"

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
		struct vertex *to = graph_leg_edge(j, &of->leg[i]);

		if (to && to->is_object && to->low == cycle)
			next = holder_in(j, of->leg[i].on, cycle);
		else if (to && to->low == cycle)
			next = graph_awaited_at(j, of->leg[i].on);
	}
	return next ? next : c;
}

/* The coroutine after c on its cycle: itself where that leads nowhere. */
static struct ctt_coro *after(struct ctt_judge *j, struct ctt_coro *c)
{
	struct object *o = graph_lock(c);
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
		return graph_awaited(j, c);
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

static bool is_stuck(const struct ctt_coro *c)
{
	return c && c->evidence && ((struct evidence *)c->evidence)->stuck;
}

/* Do all wait who alone receive what it sent? */
static bool receivers_wait(struct ctt_judge *j, const struct hold *h)
{
	struct ctt_on room = { CTT_ON_ROOM, true, true, h->sent_over, { NULL, 0 } };
	const struct object *o = h->sent_around ? NULL : object_at(j, &room, h->object->pid);
	bool all = o && o->holds && !o->left && !o->passed_on;

	for (const struct hold *r = all ? o->holds : NULL; r && all; r = r->next)
		all = is_stuck(ctt_model_coro(j->model, r->by));
	return all;
}

/* Its guard, with what it sent. To one that is stuck as well: then the lock is stuck there. */
static bool may_be_sent(struct ctt_judge *j, const struct hold *h)
{
	const struct ctt_coro *to =
		h->sent_to && !h->sent_often ? ctt_model_coro(j->model, h->sent_to) : NULL;

	return h->sent && !is_stuck(to) && !receivers_wait(j, h);
}

/* Of those that live and that its holder has created, some do not wait for it; of several holders: perhaps. */
static bool kids_elsewhere(struct ctt_judge *j, const struct hold *h)
{
	const struct object *o = h->object;
	const struct ctt_coro *by = ctt_model_coro(j->model, h->by);
	const struct evidence *e = by ? by->evidence : NULL;
	uint64_t kids = e ? e->kids_live : 0;

	for (e = h->next || o->holds != h ? NULL : o->waiters; e && kids; e = e->next)
		kids -= e->c->parent == h->by && !may_have(j, o, e->c->id);
	return kids;
}

/* Or was it moved into what its holder created? */
static bool may_be_moved(struct ctt_judge *j, const struct hold *h)
{
	const struct object *o = h->object;
	bool elsewhere = o->children ? kids_elsewhere(j, h) :
		may_have(j, o, o->child) && !is_stuck(ctt_model_coro(j->model, o->child));

	return elsewhere && hold_is_value(j, h);
}

static void add_lock(struct ctt_judge *j, struct ctt_finding *f, struct ctt_coro *c,
	struct object *o)
{
	for (struct hold *h = o && !o->reported ? o->holds : NULL; h; h = h->next) {
		o->torn |= hold_torn(j, h);
		add_fact(f, h->acquired);
		if ((!has_ends(o) && (may_be_sent(j, h) || may_be_moved(j, h))) || o->passed_on ||
			(o->kind == CTT_ON_SEM && !o->returns && !permits_all_held(o)) ||
			permit_is_nobodys(j, o, h))
			f->certainty = CTT_SUSPECTED;
	}
	if (o && o->left && !o->reported) {
		o->torn |= hold_torn(j, o->left);
		add_fact(f, o->left->acquired);
		add_fact(f, o->left->ended);
		if (!has_ends(o) && owner_doubt(j, o, o->left))
			f->certainty = CTT_SUSPECTED;
	}
	/* one more of those that it has: others may be had by nobody that is known */
	if (o && o->kind == CTT_ON_SEM && (o->again || hold_find(o, c->id, 0)) &&
		!permits_all_held(o))
		f->certainty = CTT_SUSPECTED;
	if (o) {
		o->reported = true;
		f->torn |= o->torn;
		f->oldest = 1;	/* whatever was lost may be that another has it, too */
	}
}

static void add_member(struct ctt_judge *j, struct ctt_finding *f, struct ctt_coro *c)
{
	const struct legs *of = ((struct evidence *)c->evidence)->legs;
	struct object *o = graph_lock(c);

	add_lock(j, f, c, o);
	for (uint32_t i = 0; of && i < of->count; i++)
		if (graph_leg_edge(j, &of->leg[i]))
			add_lock(j, f, c, graph_lock_at(c, of->leg[i].on));
		else if (!of->all && graph_leg_unknown(c, i))
			f->certainty = CTT_SUSPECTED;
	add_fact(f, suspend_fact(c));
	if (!o && channel_of(j, c)) {
		f->certainty = CTT_SUSPECTED;
		f->torn = true;
		f->oldest = 1;		/* whatever was lost may be that another does so, too */
	}
	if (c->last_ts > f->cause.ts)	/* the one that closed the cycle */
		f->cause = suspend_fact(c);
}

static bool through_channels(struct ctt_judge *j, const struct ctt_finding *f)
{
	for (uint32_t i = 0; i < f->cycle_count; i++)
		if (!graph_lock(ctt_model_coro(j->model, f->cycle[i])) &&
			channel_of(j, ctt_model_coro(j->model, f->cycle[i])))
			return true;
	return false;
}

static bool waits_for_lock_among(const struct ctt_coro *c)
{
	const struct legs *of = ((struct evidence *)c->evidence)->legs;

	for (uint32_t i = 0; of && i < of->count; i++)
		if (graph_lock_at(c, of->leg[i].on))
			return true;
	return false;
}

/* Do all of them merely wait for something to come, or for the end of one that does? So do actors that
 * rest, and who supervises them: who sends next may be another. */
static bool only_rests(struct ctt_judge *j, const struct ctt_finding *f)
{
	bool any = false;

	for (uint32_t i = 0; i < f->cycle_count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[i]);

		if (graph_lock(c) || waits_for_lock_among(c))
			return false;
		if (channel_of(j, c) && channel_is_full(c))
			return false;
		any |= channel_of(j, c) != NULL;
	}
	return any;
}

static uint32_t kinds_of(const struct ctt_judge *j, const struct ctt_finding *f)
{
	uint32_t kinds = 0;

	for (uint32_t i = 0; i < f->cycle_count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[i]);

		kinds |= 1u << c->on.kind;
		for (size_t k = 0; c->legs && k < c->legs->count; k++)
			kinds |= 1u << c->legs->leg[k].on.kind;
	}
	return kinds;
}

static bool is_doubted(const struct object *o)
{
	return o && o->doubted;
}

/* May others than those who are known have what one of them waits for? */
static bool has_doubt(struct ctt_judge *j, const struct ctt_finding *f)
{
	bool any = false;

	for (uint32_t i = 0; i < f->cycle_count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[i]);
		const struct legs *of = ((struct evidence *)c->evidence)->legs;

		any |= is_doubted(graph_lock(c));
		for (uint32_t k = 0; of && k < of->count; k++)
			any |= is_doubted(graph_lock_at(c, of->leg[k].on));
	}
	return any;
}

/* Does anybody wait for a lock that one of them has? */
static bool keeps_others(struct ctt_judge *j, const struct ctt_finding *f)
{
	for (uint32_t i = 0; i < f->cycle_count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[i]);
		const struct hold *h = ((struct evidence *)c->evidence)->has.held;

		for (; h; h = h->next_held)
			if (h->object->kind == CTT_ON_MUTEX && h->object->waiters)
				return true;
	}
	return false;
}

/* What only who waits for it could bring about, so that nobody will, may be waited for by design, until the
 * task is aborted: in a snapshot, where that is an event alone and nobody waits for what they have; or, where
 * others may bring it about who are not known, if nobody waits for what one has to give back. */
static bool may_rest(struct ctt_judge *j, const struct ctt_finding *f)
{
	uint32_t kinds;

	if (!f->coro->since_before)
		return false;
	kinds = kinds_of(j, f);
	if (has_doubt(j, f))
		return !(kinds & ~(1u << CTT_ON_COND | 1u << CTT_ON_CHAN));
	return kinds == 1u << CTT_ON_COND && !keeps_others(j, f);
}

/* Has it alone the lock that it waits for, and waits for what nobody knows, too? Then another branch
 * of it may have the lock, and go on when that comes. */
static bool only_branches(struct ctt_judge *j, const struct ctt_finding *f)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[0]);
	const struct legs *of = ((struct evidence *)c->evidence)->legs;

	for (uint32_t i = 0; f->cycle_count == 1 && of && !of->all && i < of->count; i++)
		if (graph_leg_unknown(c, i))
			return true;
	return false;
}

/* Waits one of them for what nobody knows, too? */
static bool has_unknown(struct ctt_judge *j, const struct ctt_finding *f)
{
	for (uint32_t k = 0; k < f->cycle_count; k++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[k]);
		const struct legs *of = ((struct evidence *)c->evidence)->legs;

		for (uint32_t i = 0; of && !of->all && i < of->count; i++)
			if (graph_leg_unknown(c, i))
				return true;
	}
	return false;
}

/* Time brings it, or something from outside; or nobody knows what. */
static bool comes_by_itself(const struct ctt_on *on)
{
	return !on->known || on->kind == CTT_ON_TIMER || on->kind == CTT_ON_FD;
}

/* May it go on, and come to any channel? */
static bool may_come(const struct ctt_coro *c)
{
	bool comes = !c->legs && comes_by_itself(&c->on);

	for (size_t i = 0; c->legs && i < c->legs->count; i++)
		comes |= comes_by_itself(&c->legs->leg[i].on);
	return !c->system && !is_stuck(c) && (c->state != CTT_CORO_SUSPENDED || comes);
}

static bool somebody_may_come(struct ctt_judge *j)
{
	const struct ctt_coro *c;

	for (size_t i = 0; !j->comers_asked && (c = ctt_model_next(j->model, &i));)
		j->comers |= may_come(c);
	j->comers_asked = true;
	return j->comers;
}

enum { ENDS = 1u << CTT_ON_CHAN | 1u << CTT_ON_ROOM,
	TASKS = 1u << CTT_ON_CORO | 1u << CTT_ON_JOIN };

/* Is it what a thread blocks on, as main is, and waits for a channel whose other end it has itself? Many
 * a main keeps its program alive so: whether its sender was forgotten only who wrote it knows. */
static bool may_idle(const struct ctt_judge *j, const struct ctt_finding *f)
{
	return f->cycle_count == 1 && f->coro->since_before && f->coro->tid &&
		!(kinds_of(j, f) & ~ENDS);
}

/* Has one of them a lock that another has, too? Of what ran meanwhile that is no one moment. */
static bool shares_lock(struct ctt_judge *j, const struct ctt_finding *f)
{
	for (uint32_t i = 0; i < f->cycle_count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, f->cycle[i]);
		const struct hold *h = ((struct evidence *)c->evidence)->has.held;

		for (; h; h = h->next_held)
			if (h->object->kind == CTT_ON_MUTEX && h->object->held > 1)
				return true;
	}
	return false;
}

/* Who awaits whom, of what ran meanwhile: where one was another may be by now, that awaits the former. */
static void weigh_torn(struct ctt_judge *j, struct ctt_finding *f)
{
	if (!j->model->torn)
		return;
	if (kinds_of(j, f) & TASKS)
		f->certainty = settled(j, f->coro, f->cause.ts) ? CTT_SUSPECTED : CTT_HINT;
	else if (f->certainty == CTT_PROVEN && shares_lock(j, f))
		f->certainty = CTT_SUSPECTED;
}

static const char *why_deadlock(struct ctt_judge *j, const struct ctt_finding *f)
{
	if (f->certainty == CTT_UNKNOWN)
		return "each waits for what others of them could bring about; whether anybody else can, by a reference that is not seen, or by aborting one, is not known";
	if (f->certainty == CTT_HINT && may_idle(j, f))
		return "it waits for a channel of which it has the other end itself: so a main may wait for ever, or one forgot to drop that";
	if (f->certainty == CTT_HINT && through_channels(j, f))
		return "each waits for the next, where channels are concerned for those who ever took from them or put in; others live who may come to these yet";
	if (through_channels(j, f))
		return "each waits for the next, where channels are concerned for those who ever took from them or put in";
	if (has_unknown(j, f))
		return f->component ?
			"whoever could wake one of them waits for another of them; what else may wake them is not known" :
			"each waits for the next, the last for the first; what else may wake them is not known";
	return f->component ?
		"whoever could wake one of them waits for another of them: nobody is left who could" :
		"each waits for the next, the last for the first: nobody is left who could wake them";
}

/* Its members stand in f->cycle: in order, from the lowest, if it is a ring, each waiting for the
 * next. */
static void accuse_component(struct ctt_judge *j, struct ctt_finding *f)
{
	struct ctt_coro *c;
	uint32_t n = 0;

	qsort(f->cycle, f->cycle_count, sizeof(*f->cycle), by_id);
	f->coro = c = ctt_model_coro(j->model, f->cycle[0]);
	if (only_rests(j, f) || only_branches(j, f) || may_rest(j, f)) {
		free(f->cycle);
		return;
	}
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
	if (through_channels(j, f) && somebody_may_come(j))
		f->certainty = CTT_HINT;
	if (may_idle(j, f))
		f->certainty = CTT_HINT;
	weigh_torn(j, f);
	if (has_doubt(j, f) && f->certainty != CTT_HINT)
		f->certainty = CTT_UNKNOWN;
	f->because = why_deadlock(j, f);
	f->help = deadlock_help(kinds_of(j, f));
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
		struct vertex *to = graph_next_edge(j, v, first), *from = v->from;

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
						graph_awaited(j, EVIDENCE(v)->c) == EVIDENCE(v)->c);
			v = from;
		}
	}
}

void judge_deadlocks(struct ctt_judge *j)
{
	struct search s = { 0, 0, NULL };
	struct seat *seats = channel_seats(j);
	struct ctt_coro *c;

	j->comers_asked = j->comers = false;
	graph_find_stuck(j);
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->evidence && ((struct evidence *)c->evidence)->stuck && !vertex_of(c)->index)
			search_from(j, &s, vertex_of(c));
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (c->evidence)
			((struct evidence *)c->evidence)->seats = NULL;
	free(seats);
}
