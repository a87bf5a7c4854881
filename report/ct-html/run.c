/* run.c - fold a run into items, lanes and counts, beside the judge that keeps its model. Contracts
 * in html.h. */
#include <stdlib.h>
#include <string.h>

#include "html.h"

/* Things that are opened, signalled, locked: marks of who did it. */
static void object_line(struct run *r, const struct ctt_event *ev)
{
	static const uint8_t kinds[CTT_EV_KINDS] = { [CTT_EV_OPEN] = IT_OPEN,
		[CTT_EV_CLOSE] = IT_CLOSE,
		[CTT_EV_NOTIFY] = IT_NOTIFY,
		[CTT_EV_LEVEL] = IT_LEVEL,
		[CTT_EV_ACQUIRE] = IT_ACQUIRE,
		[CTT_EV_RELEASE] = IT_RELEASE };

	mark_push(r, ev->by ? hash_find(&r->recs, ev->by) : NULL, ev, kinds[ev->kind]);
}

static void gap_line(struct run *r, const struct ctt_event *ev)
{
	struct gap g = { run_time(r, ev->lost.from ? ev->lost.from : ev->ts),
		run_time(r, ev->lost.to ? ev->lost.to : ev->ts), ev->lost.count };
	struct gap *last = r->gaps ? &r->gap[r->gaps - 1] : NULL;

	if (r->gaps < GAPS) {
		r->gap[r->gaps++] = g;
		return;
	}
	last->from = g.from < last->from ? g.from : last->from;
	last->to = g.to > last->to ? g.to : last->to;
	last->count = last->count + g.count < g.count ? UINT64_MAX : last->count + g.count;
}

static char *keep_line(char *old, const struct ctt_event *ev)
{
	free(old);
	return ev->raw_len < 1 << 16 ? need(strndup(ev->raw, ev->raw_len)) : NULL;
}

static void other_line(struct run *r, const struct ctt_event *ev)
{
	struct rec *x;

	switch (ev->kind) {
	case CTT_EV_NAME:
		x = hash_find(&r->recs, ev->probe_id);
		if (x) {
			free(x->name);
			x->name = text_cut(ev->name);
		}
		break;
	case CTT_EV_OPEN:
	case CTT_EV_CLOSE:
	case CTT_EV_NOTIFY:
	case CTT_EV_LEVEL:
	case CTT_EV_ACQUIRE:
	case CTT_EV_RELEASE:
		objects_note(r, ev);
		object_line(r, ev);
		break;
	case CTT_EV_LOST:	gap_line(r, ev); break;
	case CTT_EV_META:	r->meta_line = keep_line(r->meta_line, ev); break;
	case CTT_EV_EXIT:	r->exit_line = keep_line(r->exit_line, ev); break;
	default:
		break;
	}
}

/* A worker's sleep, from its park to whatever it does next. */
static void park_line(struct run *r, const struct ctt_event *ev, const struct ctt_worker *w)
{
	struct worker_lane *l;
	struct item it = { .kind = IT_PARKED, .tid = ev->tid };

	if (!w || (!w->parked && !w->parked_until))
		return;
	l = worker_lane(r, ev->tid);
	if (l->parked && (!w->parked || ev->kind == CTT_EV_PARK)) {
		it.start = it.end = l->since;
		if (run_time(r, ev->ts) > it.start)
			it.end = run_time(r, ev->ts);
		it.line = l->line;
		if (l->lane.cell)
			lane_add(&l->lane, it.end, W_PARKED, -1);
		l->parked = false;
		tail_push(r, &it);
	}
	if (w->parked && !l->parked) {
		l->parked = true;
		l->since = run_time(r, w->parked_since);
		l->line = w->park_line;
		if (l->lane.cell)
			lane_add(&l->lane, l->since, W_PARKED, 1);
	}
}

struct ctt_coro *run_before(struct run *r, const struct ctt_event *ev)
{
	if (!r->began && ev->ts) {
		r->began = true;
		r->start = ev->ts;
	}
	return spans_before(&r->spans, ev);
}

void run_after(struct run *r, const struct ctt_event *ev, struct ctt_coro *c)
{
	c = spans_after(&r->spans, ev, c);
	r->counts[ev->kind]++;
	if (ev->tid)
		park_line(r, ev, ctt_model_worker(ctt_judge_model(r->judge), ev->tid));
	if (ev->kind < CTT_EV_CREATE || ev->kind > CTT_EV_STATE) {
		other_line(r, ev);
		return;
	}
	if (ev->kind != CTT_EV_STATE)
		lane_count(&r->series, run_time(r, ev->ts),
			ev->kind == CTT_EV_WAKE ? S_WAKES : S_EVENTS, 1);
	if (ev->kind == CTT_EV_WAKE && ev->on.kind != CTT_ON_NONE)
		objects_note(r, ev);
	coro_line(r, ev, c);
}

void run_bad(struct run *r, const struct ctt_event *ev, const char *why)
{
	if (r->bad_count < BAD_TOLD) {
		r->bad[r->bad_count].line = ev->line;
		strncpy(r->bad[r->bad_count].why, why, sizeof(r->bad[0].why) - 1);
	}
	r->bad_count++;
}

/* Sleeps go on, and all lanes reach the end. */
static void finish_lanes(struct run *r, int64_t end)
{
	for (size_t i = 0; i < r->workers.count; i++) {
		struct worker_lane *l = r->workers.item[i];

		if (l->lane.cell)
			lane_reach(&l->lane, end);
		if (l->parked && end > l->since)
			tail_push(r,
				&(struct item){ .kind = IT_PARKED,
					.tid = l->tid,
					.start = l->since,
					.end = end,
					.line = l->line });
	}
	for (uint32_t i = 0; i < r->sites.count; i++)
		if (run_site_at(r, i)->lane.cell)
			lane_reach(&run_site_at(r, i)->lane, end);
	lane_reach(&r->series, end);
}

void run_finish(struct run *r, const struct ctt_trace_run *facts)
{
	const struct ctt_model *m = r->spans.model;

	coros_finish(r, !ctt_model_lost(m) && !facts->bad && !facts->cut);
	finish_lanes(r, run_time(r, ctt_model_last_ts(m)));
}

void run_begin(struct run *r, struct ctt_judge *j, size_t detail, uint32_t number)
{
	memset(r, 0, sizeof(*r));
	r->judge = j;
	r->detail = detail;
	r->coarse = number < FINE_RUNS ? 0 : COARSE;
	r->exact_from = INT64_MIN;
	r->rec_pool.elem = sizeof(struct rec);
	for (unsigned i = 0; i <= HISTORY_LOG; i++)
		r->histories[i].elem = sizeof(struct item) << i;
	r->sites.elem = sizeof(struct site);
	r->workers.elem = sizeof(struct worker_lane);
	*ADD(r->text, r->text_count, r->text_room) = NULL;
	lane_init(&r->series, SERIES_CELLS >> r->coarse, CHANNELS);
	run_site(r, 0);
	coros_begin(r);
}

void run_free(struct run *r)
{
	struct rec *x;

	spans_free(&r->spans);
	free(r->source);
	for (size_t i = 0; i < r->tail_used; i++) {
		x = r->tail[i].rec;
		if (x && !--x->refs && !x->lives)
			rec_free(r, x);
	}
	for (size_t i = 0; (x = hash_each(&r->recs, &i));)
		rec_free(r, x);
	for (size_t i = 0; i < r->workers.count; i++)
		free(((struct worker_lane *)r->workers.item[i])->lane.cell);
	for (uint32_t i = 0; i < r->sites.count; i++)
		free(run_site_at(r, i)->lane.cell);
	for (size_t i = 1; i < r->text_count; i++)
		free(r->text[i]);
	keyed_free(&r->workers);
	keyed_free(&r->sites);
	pool_free(&r->rec_pool);
	for (unsigned i = 0; i <= HISTORY_LOG; i++)
		pool_free(&r->histories[i]);
	hash_free(&r->recs);
	hash_free(&r->texts);
	free(r->text);
	large_free(r->tail, tail_size(r->tail_room));
	free(r->object);
	free(r->series.cell);
	free(r->meta_line);
	free(r->exit_line);
}
