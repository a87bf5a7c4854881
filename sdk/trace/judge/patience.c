/* patience.c - who may be let wait by design, though what it waits for is there: as senders down to a low
 * mark, drainers until a batch is full, whoever a pacer lets go, and spare hands of a pool that others
 * keep up with. What happened before tells. Contracts in objects.h. */
#include "judge/judge.h"

/* Some was there, nobody who waited for it was woken, and whoever made it available has done other things
 * since. */
static void note_wait(struct ctt_judge *j, struct object *o)
{
	const struct ctt_fact *told = &o->level_known;
	const struct ctt_coro *c = told->by ? ctt_model_coro(j->model, told->by) : NULL;

	if (!told->line || !told->by || (c && c->last_ts <= told->ts) || !(o->waiters || o->legs) ||
		o->came >= told->ts || o->woke_ts >= told->ts || o->level <= o->patience.let_wait)
		return;
	o->patience.let_wait = o->level;
	o->patience.since = told->ts;
}

/* Who takes one, runs again, and takes the next without waiting for it. Of several the first is
 * remembered as long as it lives. */
static void note_drainer(struct ctt_judge *j, struct patience *p, const struct ctt_event *ev)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, ev->by);

	if (p->drainer != ev->by) {
		if (p->drained > 1 && ctt_model_coro(j->model, p->drainer))
			return;
		p->drainer = ev->by;
		p->drained = 0;
	}
	if (!p->drained)
		p->drained_since = ev->ts;
	if (!p->drained || (c && c->resumed > p->drained_last))
		p->drained++;
	p->drained_last = ev->ts;
}

void patience_level(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	struct patience *p = &o->patience;

	note_wait(j, o);
	if (!o->levels || ev->level.value > o->level) {
		p->raiser = ev->by;
		p->raiser_tid = ev->tid;
	} else if (ev->by && ev->level.value < o->level) {
		note_drainer(j, p, ev);
	}
}

void patience_woken(struct object *o, const struct evidence *e, const struct ctt_event *ev)
{
	struct patience *p = &o->patience;
	const struct ctt_fact *there = &o->there;

	if (o->kind == CTT_ON_ROOM)
		p->patient = p->let_wait;
	if (p->drainer == ev->probe_id)
		p->drained = 0;
	if (!e || !e->suspended || e->woken || !waits_at(e, o))
		return;
	if (e->suspended < p->since)
		p->patient = p->let_wait;
	p->last_but_one = p->last;
	p->last = (struct let_go){ e->suspended, ev->ts };
	if (!o->level_known.line || !o->level)
		return;
	if (there->line && e->suspended < there->ts && ev->ts > there->ts + p->lag)
		p->lag = ev->ts - there->ts;
	if (ev->by == p->raiser && (ev->by || ev->tid == p->raiser_tid))
		p->prompt = true;
	else
		p->paced = true;
}

/* Whoever woke others for it was never the one that made it available, and waits for its time now. */
static bool is_paced(const struct ctt_judge *j, const struct object *o)
{
	const struct ctt_coro *c = o->woke.by ? ctt_model_coro(j->model, o->woke.by) : NULL;

	return o->patience.paced && !o->patience.prompt && c && c->state == CTT_CORO_SUSPENDED &&
		(c->on.kind == CTT_ON_TIMER || (c->legs && legs_timer(c->legs)));
}

static bool works(const struct ctt_judge *j, const struct object *o, uint64_t id)
{
	const struct ctt_coro *c = id ? ctt_model_coro(j->model, id) : NULL;

	return c && !(c->state == CTT_CORO_SUSPENDED && c->evidence && waits_at(c->evidence, o));
}

/* One that came after it was woken, and then another, or the same, that came after that; or one takes one after the other, without
 * waiting in between: it may be for times when that does not suffice. */
static bool is_spare(const struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;
	const struct patience *p = &o->patience;

	if (o->kind != CTT_ON_CHAN && !(o->kind == CTT_ON_COND && o->level_falls))
		return false;
	return (p->last_but_one.came > e->suspended && p->last.came > p->last_but_one.ts &&
		       works(j, o, o->woke_id)) ||
		(p->drained > 1 && p->drained_since > e->suspended && works(j, o, p->drainer));
}

bool may_be_patient(struct ctt_judge *j, const struct evidence *e, uint64_t since)
{
	const struct object *o = e->on;
	uint64_t end = end_for(j, e->c);

	return is_paced(j, o) || is_spare(j, e) || end < since + 2 * o->patience.lag;
}
