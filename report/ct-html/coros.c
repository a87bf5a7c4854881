/* coros.c - what each coroutine did from when to when, as items, levels and counts. Contracts in
 * html.h. */
#include <stdlib.h>

#include "html.h"

struct life {			/* c->span */
	struct woken woken;	/* its tag: the wake's line */
	uint64_t wake_site;
	struct rec *rec;
	enum item_kind kind;	/* what its latest own line began */
};

static void level(struct lane *l, const struct item *it, uint32_t channel, bool open)
{
	lane_add(l, it->start, channel, 1);
	if (!open)
		lane_add(l, it->end, channel, -1);
}

/* Curves go on to the end with what is open. */
static void levels(struct run *r, const struct item *it, bool open)
{
	level(&r->series, it, it->kind, open);
	if (it->kind == IT_SUSPENDED || it->kind == IT_RUNNABLE)
		level(site_lane(r, run_site_at(r, it->site)), it, 0, open);
	if (it->kind == IT_RUNNING && it->tid) {
		struct worker_lane *w = worker_lane(r, it->tid);

		if (w->lane.cell)
			level(&w->lane, it, W_RUNNING, open);
		if (w->lane.cell)
			lane_count(&w->lane, it->start, W_RUNS, 1);
	}
}

/* Spreads take what was seen from its beginning to its end, and no wait that a destroy ended. */
static void spreads(struct run *r, const struct item *it, const struct span *s)
{
	struct site *p = run_site_at(r, it->site);
	uint64_t ns = s->to - s->from, end = (uint64_t)it->end;
	bool goes_on = s->ev && s->ev->kind != CTT_EV_DESTROY;
	const struct life *life = s->c->span;
	bool waited = life->kind == IT_SUSPENDED;

	if (s->what == SUSPENDED && goes_on)
		spread_add(&p->wait, ns, end, s->c->id);
	/* woken while it still ran, it waited for no time at all */
	if (s->what == RUNNABLE && goes_on && waited && s->from == s->c->last_ts)
		spread_add(&p->wait, 0, (uint64_t)it->start, s->c->id);
	if (s->what == RUNNABLE && goes_on)
		spread_add(&p->delay, ns, end, s->c->id);
	if (s->what == RUNNING && s->ev)
		spread_add(&p->run, ns, end, s->c->id);
	if (s->what == RUNNABLE && waited)
		site_wake(p, life->wake_site, s->woken->tid, s->woken->by);
}

static struct item item_of(struct run *r, const struct span *s, enum item_kind kind)
{
	const struct ctt_coro *c = s->c;
	const struct life *life = c->span;
	const struct woken *w = kind == IT_RUNNABLE ? s->woken : NULL;
	bool waits = kind == IT_SUSPENDED || kind == IT_RUNNABLE;

	return (struct item){ .rec = life->rec,
		.start = run_time(r, s->from),
		.end = run_time(r, s->to),
		.line = w ? w->tag : c->last_line,
		.tid = w ? w->tid : c->tid,
		.by = w ? w->by : 0,
		.on = waits ? run_wait(r, c) : (struct thing){ 0 },
		.site = run_site(r, kind == IT_CREATED ? c->spawn_site : c->site)->index,
		.kind = kind & 255 };
}

/* The one sum that a stretch goes to. What a coroutine that lives does at the end stays with it. */
static void add(struct run *r, const struct span *s, const struct item *it, bool last)
{
	struct rec *x = it->rec;

	x->in[it->torn ? IN_UNKNOWN : it->kind] += (uint64_t)(it->end - it->start);
	if (last)
		x->now = *it;
	else
		tail_push(r, it);
	if (it->torn)
		return;
	levels(r, it, !s->ev && last);
	spreads(r, it, s);
}

static void on_span(void *arg, const struct span *s)
{
	static const enum item_kind kinds[DOINGS] = { [UNSTARTED] = IT_CREATED,
		[RUNNING] = IT_RUNNING,
		[SUSPENDED] = IT_SUSPENDED,
		[RUNNABLE] = IT_RUNNABLE };
	struct item it = item_of(arg, s, kinds[s->what]);

	/* what was woken goes on as runnable */
	add(arg, s, &it, !s->ev && (s->what == RUNNABLE || !s->woken));
}

/* Nobody knows what it did: it is drawn as it began, or as it was last known to be, and is in no
 * curve. */
static void on_gap(void *arg, const struct span *s)
{
	const struct ctt_coro *c = s->c;
	const struct life *life = c->span;
	struct item it = item_of(arg, s, life->kind);

	it.torn = true;
	if (!s->ev && c->state == CTT_CORO_RUNNABLE) {
		it.end = run_time(arg, c->since);
		add(arg, s, &it, false);
		it.start = it.end;
		it.end = run_time(arg, s->to);
		it.kind = IT_RUNNABLE;
		it.line = c->wake_line;
		it.tid = c->wake_tid;
		it.by = c->wake_by;
	}
	add(arg, s, &it, !s->ev);
}

static void on_wake(void *arg, const struct ctt_event *ev, struct ctt_coro *c, struct woken *w)
{
	(void)arg;
	w->tag = ev->line;
	((struct life *)c->span)->wake_site = ev->site;
}

static void on_end(void *arg, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct run *r = arg;
	struct rec *x = ((struct life *)c->span)->rec;
	bool destroyed = ev->kind == CTT_EV_DESTROY;

	x->ended = run_time(r, ev->ts > c->last_ts ? ev->ts : c->last_ts);
	x->gone = !destroyed;
	x->done_known = destroyed && ev->has & CTT_HAS_DONE;
	x->done = x->done_known && ev->done;
	x->last_line = destroyed ? ev->line : c->last_line;
	x->lives = false;
	lane_count(&r->series, x->ended, S_ENDED, 1);
	history_free(r, x);
	hash_remove(&r->recs, x->id, x);
	if (!x->refs)
		rec_free(r, x);
}

static struct rec *rec_new(struct run *r, const struct ctt_coro *c)
{
	struct rec *x = pool_take(&r->rec_pool);

	hash_add(&r->recs, c->id, x);
	x->id = c->id;
	x->first_ts = c->first_ts;
	x->lives = true;
	x->created = x->ended = INT64_MIN;
	x->v1 = c->v1;
	lane_count(&r->series, run_time(r, c->first_ts), S_BEGUN, 1);
	return x;
}

/* What its own line began. */
static void begins(struct run *r, const struct ctt_coro *c, struct life *life)
{
	bool waits = c->state == CTT_CORO_SUSPENDED || c->state == CTT_CORO_RUNNABLE;

	life->kind = !waits ? (enum item_kind)c->state :
		span_ran(c)       ? IT_SUSPENDED :
				    IT_CREATED;
	life->rec->runs += life->kind == IT_RUNNING;
	if (life->kind == IT_SUSPENDED)
		run_site(r, c->site)->suspends++;
}

void coro_line(struct run *r, const struct ctt_event *ev, struct ctt_coro *c)
{
	struct life *life = c ? c->span : NULL;
	struct rec *x;

	if (!c)
		return;
	if (!life->rec)
		life->rec = rec_new(r, c);
	x = life->rec;
	x->system = c->system;
	if (ev->kind == CTT_EV_CREATE && c->created) {
		x->created = run_time(r, c->created);
		x->parent = c->parent;
		x->spawn = run_site(r, c->spawn_site)->index;
	}
	if (ev->kind == CTT_EV_WAKE) {
		x->wakes++;
		mark_push(r, x, ev, IT_WAKE);
	} else if (c->last_line == ev->line) {
		begins(r, c, life);
	}
}

/* Who lives at the end. */
void coros_finish(struct run *r, bool whole)
{
	struct ctt_model *m = r->spans.model;
	struct ctt_coro *c;

	spans_finish(&r->spans, ctt_model_last_ts(m), whole);
	for (size_t i = 0; (c = ctt_model_next(m, &i));)
		((struct life *)c->span)->rec->coro = c;
}

void coros_begin(struct run *r)
{
	r->spans = (struct spans){ .size = sizeof(struct life),
		.arg = r,
		.on_span = on_span,
		.on_gap = on_gap,
		.on_wake = on_wake,
		.on_end = on_end };
	spans_share(&r->spans, ctt_judge_model(r->judge));
}
