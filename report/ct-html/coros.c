/* coros.c - follow each coroutine from state to state, as items, levels and counts. Contracts in
 * html.h. */
#include <stdlib.h>

#include "html.h"

static void levels(struct run *r, const struct item *it, int64_t at, int by)
{
	lane_add(&r->series, at, it->kind, by);
	if (it->kind == IT_SUSPENDED || it->kind == IT_RUNNABLE)
		lane_add(site_lane(r, run_site_at(r, it->site)), at, 0, by);
	if (it->kind == IT_RUNNING && it->tid) {
		struct worker_lane *w = worker_lane(r, it->tid);

		if (w->lane.cell)
			lane_add(&w->lane, at, W_RUNNING, by);
		if (w->lane.cell && by > 0)
			lane_count(&w->lane, at, W_RUNS, 1);
	}
}

/* The current stretch of x ends. Spreads take what was seen from its beginning to its end; where events
 * are missing in it, nobody knows what x did, and no curve has it. */
static void close_item(struct run *r, struct rec *x, int64_t at, bool goes_on)
{
	struct item *it = &x->now;
	struct site *p = run_site_at(r, it->site);
	uint64_t ns;

	it->end = at > it->start ? at : it->start;
	ns = (uint64_t)(it->end - it->start);
	levels(r, it, it->torn ? it->start : it->end, -1);
	x->in[it->torn ? IN_UNKNOWN : it->kind] += ns;
	if (!it->torn && it->kind == IT_SUSPENDED && goes_on)
		spread_add(&p->wait, ns, (uint64_t)it->end, x->id);
	if (!it->torn && it->kind == IT_RUNNABLE && goes_on)
		spread_add(&p->delay, ns, (uint64_t)it->end, x->id);
	if (!it->torn && it->kind == IT_RUNNING)
		spread_add(&p->run, ns, (uint64_t)it->end, x->id);
	tail_push(r, it);
}

static void open_item(struct run *r, struct rec *x, enum item_kind kind, int64_t at)
{
	const struct ctt_coro *c = x->coro;
	struct thing on = kind == IT_SUSPENDED ? run_wait(r, c) :
		kind == IT_RUNNABLE            ? x->now.on :
						 (struct thing){ 0 };
	bool woken = kind == IT_RUNNABLE;
	struct site *p = run_site(r, kind == IT_CREATED ? c->spawn_site : c->site);

	x->now = (struct item){ .rec = x,
		.start = at,
		.line = woken ? c->wake_line : c->last_line,
		.tid = woken ? c->wake_tid : c->tid,
		.by = woken ? c->wake_by : 0,
		.on = on,
		.site = p->index,
		.kind = kind & 255 };
	x->runs += kind == IT_RUNNING;
	p->suspends += kind == IT_SUSPENDED;
	levels(r, &x->now, at, 1);
}

void rec_end(struct run *r, struct rec *x, const struct ctt_event *ev)
{
	bool destroyed = ev && ev->kind == CTT_EV_DESTROY;

	/* Its end was not seen, only that it is gone: it is known up to its last event. */
	x->now.torn |= !destroyed || (x->order && ev->has & CTT_HAS_N && ev->n != x->order + 1);
	close_item(r, x, destroyed ? run_time(r, ev->ts) : x->now.start, false);
	x->ended = x->now.end;
	x->done_known = destroyed && ev->has & CTT_HAS_DONE;
	x->done = x->done_known && ev->done;
	x->last_line = destroyed ? ev->line : x->now.line;
	x->lives = false;
	x->coro = NULL;
	lane_count(&r->series, x->ended, S_ENDED, 1);
	history_free(r, x);
	hash_remove(&r->recs, x->id, x);
	if (!x->refs)
		rec_free(r, x);
}

static struct rec *rec_new(struct run *r, struct ctt_coro *c)
{
	struct rec *x = pool_take(&r->rec_pool);

	hash_add(&r->recs, c->id, x);
	c->span = x;
	x->id = c->id;
	x->coro = c;
	x->first_ts = c->first_ts;
	x->lives = true;
	x->created = x->ended = x->woken = INT64_MIN;
	x->v1 = c->v1;
	x->missing = c->missing;
	lane_count(&r->series, run_time(r, c->first_ts), S_BEGUN, 1);
	open_item(r, x, (enum item_kind)c->state, run_time(r, c->since));
	return x;
}

/* A wake is a mark of its own, besides the stretch that it begins: it may come while its coroutine
 * runs. */
static void wake_item(struct run *r, struct rec *x, const struct ctt_event *ev)
{
	int64_t at = run_time(r, ev->ts);

	x->wakes++;
	/* of those since its suspend the first, else the last since it ran */
	if (ev->ts >= x->coro->resumed && (x->now.kind == IT_RUNNING || x->woken < x->now.start))
		x->woken = at;
	if (x->now.kind == IT_SUSPENDED && at >= x->now.start)
		site_wake(run_site_at(r, x->now.site), ev->site, ev->tid, ev->by);
	mark_push(r, x, ev, IT_WAKE);
}

/* It runs by a wake that was no news when its line came: it still ran then, or the judge put the line
 * off until its workers came back. From its suspend on, or that wake, it could. What is known of the
 * wake the model keeps. */
static void woken_before(struct run *r, struct rec *x)
{
	const struct ctt_coro *c = x->coro;
	int64_t at = x->woken > x->now.start ? x->woken : x->now.start;

	if (x->woken < x->now.start)
		site_wake(run_site_at(r, x->now.site), c->wake_site, c->wake_tid, c->wake_by);
	close_item(r, x, at, true);
	open_item(r, x, IT_RUNNABLE, at);
}

static void follow(struct run *r, struct rec *x, const struct ctt_event *ev)
{
	const struct ctt_coro *c = x->coro;
	int64_t at = run_time(r, c->since);
	bool runs = c->state == CTT_CORO_RUNNING;

	x->system = c->system;
	if (ev->kind == CTT_EV_CREATE && c->created) {
		x->created = run_time(r, c->created);
		x->parent = c->parent;
		x->spawn = run_site(r, c->spawn_site)->index;
	}
	x->now.torn |= c->missing != x->missing;
	x->missing = c->missing;
	x->order = c->has_n ? c->order : 0;
	if (x->now.kind == (uint8_t)c->state && x->now.start == at)
		return;
	if (runs && x->woken != INT64_MIN && !x->now.torn &&
		(x->now.kind == IT_SUSPENDED || x->now.kind == IT_CREATED))
		woken_before(r, x);
	if (runs)
		x->woken = INT64_MIN;
	/* woken before it had suspended quite */
	if (c->state == CTT_CORO_RUNNABLE && x->now.kind == IT_RUNNING) {
		close_item(r, x, run_time(r, c->last_ts), true);
		open_item(r, x, IT_SUSPENDED, run_time(r, c->last_ts));
	}
	close_item(r, x, at, true);
	open_item(r, x, (enum item_kind)c->state, at);
}

void coro_line(struct run *r, const struct ctt_event *ev)
{
	struct ctt_coro *c = ctt_model_coro(ctt_judge_model(r->judge), ev->probe_id);
	struct rec *x = c && c->span ? c->span : hash_find(&r->recs, ev->probe_id);

	if (x && (!c || c->first_ts != x->first_ts)) {
		rec_end(r, x, ev);
		x = NULL;
	}
	if (!c)
		return;
	if (!x)
		x = rec_new(r, c);
	if (ev->kind == CTT_EV_WAKE)
		wake_item(r, x, ev);
	follow(r, x, ev);
}
