/* spans.c - what each coroutine did from when to when. Contracts in spans.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "fold/spans.h"
#include "model/state.h"

static bool is_own(enum ctt_ev_kind k)
{
	return k == CTT_EV_RESUME || k == CTT_EV_SUSPEND || k == CTT_EV_DESTROY;
}

/* Is ev the coroutine's next line? Numbers show it; without them, the file's order is all there
 * is. */
enum next { NEXT, GAP, STALE };
static enum next next_of(const struct ctt_coro *c, const struct ctt_event *ev)
{
	if (ev->ts < c->last_ts)
		return STALE;
	if (!(ev->has & CTT_HAS_N) || !c->has_n)
		return ev->v1 && !(ev->has & CTT_HAS_N) && ev->seq < c->order ? STALE : NEXT;
	return ev->n == c->order + 1 ? NEXT : ev->n > c->order ? GAP : STALE;
}

static void report(struct spans *s, struct ctt_coro *c, enum doing what, uint64_t from, uint64_t to,
	const struct woken *w, const struct ctt_event *ev)
{
	struct span span = { what, from, to, c, w, ev };

	s->on_span(s->arg, &span);
}

/* What c did from its last own event to `to`. */
static void close_span(struct spans *s, struct ctt_coro *c, uint64_t to, const struct ctt_event *ev)
{
	struct woken *w = c->span;
	uint64_t from = c->last_ts, mid;
	enum doing wait = span_ran(c) ? SUSPENDED : UNSTARTED;

	if (c->state == CTT_CORO_RUNNING) {
		report(s, c, RUNNING, from, to, NULL, ev);
		return;
	}
	/* A wake while it still ran counts where it ran again without another one; before that,
	 * nobody knows. */
	if (w->ts && w->ts <= to && (w->ts >= from || (ev && ev->kind == CTT_EV_RESUME))) {
		mid = w->ts > from ? w->ts : from;
		if (mid > from)
			report(s, c, wait, from, mid, w, ev);
		report(s, c, RUNNABLE, mid, to, w, ev);
		return;
	}
	report(s, c, wait, from, to, NULL, ev);
	s->unwoken += ev && ev->kind == CTT_EV_RESUME && wait == SUSPENDED;
}

static void gap(struct spans *s, struct ctt_coro *c, uint64_t to, const struct ctt_event *ev)
{
	struct span span = { DOINGS, c->last_ts, to, c, NULL, ev };

	s->unknown++;
	if (s->on_gap)
		s->on_gap(s->arg, &span);
}

static void wake(struct spans *s, const struct ctt_event *ev, struct ctt_coro *c)
{
	struct woken *w = c->span;

	if (ev->ts < c->resumed) {
		s->late += ev->ts >= c->first_ts;
		return;
	}
	/* The first after the suspend makes it runnable; of those before, the last may have. */
	if (w->ts &&
		(c->state == CTT_CORO_RUNNING || w->ts < c->last_ts ?
				ev->ts < w->ts :
				ev->ts >= w->ts || ev->ts < c->last_ts))
		return;
	*w = (struct woken){ ev->ts, ev->by, ev->tid, 0 };
	if (s->on_wake)
		s->on_wake(s->arg, ev, c, w);
}

static void own(struct spans *s, const struct ctt_event *ev, struct ctt_coro *c)
{
	enum next next = next_of(c, ev);
	struct woken *w = c->span;

	if (next == NEXT)
		close_span(s, c, ev->ts, ev);
	if (next == GAP)
		gap(s, c, ev->ts, ev);
	if (next == GAP || (next == NEXT && ev->kind == CTT_EV_RESUME && w->ts <= ev->ts))
		w->ts = 0;
}

static void begin(struct spans *s, struct ctt_coro *c, const struct ctt_event *ev)
{
	c->span = need(calloc(1, s->size));
	s->before += ev->kind != CTT_EV_CREATE && ev->has & CTT_HAS_N && ev->n > 1;
}

struct ctt_coro *spans_before(struct spans *s, const struct ctt_event *ev)
{
	struct ctt_coro *c =
		ev->kind <= CTT_EV_STATE ? ctt_model_coro(s->model, ev->probe_id) : NULL;

	if (c && ev->kind == CTT_EV_WAKE)
		wake(s, ev, c);
	else if (c && is_own(ev->kind))
		own(s, ev, c);
	else if (c && ev->kind == CTT_EV_STATE && c->has_n && ev->n > c->order)
		gap(s, c, ev->ts > c->last_ts ? ev->ts : c->last_ts, ev);
	s->v1 += ev->v1;
	return c;
}

struct ctt_coro *spans_after(struct spans *s, const struct ctt_event *ev, struct ctt_coro *c)
{
	if (!s->shared)
		c = ctt_model_apply(s->model, ev);
	else if (ev->kind > CTT_EV_STATE || ev->kind == CTT_EV_DESTROY)
		c = NULL;
	else if (!c || ev->v1)		/* a new one, perhaps at an address used before */
		c = ctt_model_coro(s->model, ev->probe_id);
	if (c && !c->span)
		begin(s, c, ev);
	return c;
}

struct ctt_coro *spans_apply(struct spans *s, const struct ctt_event *ev)
{
	return spans_after(s, ev, spans_before(s, ev));
}

static void end_coro(void *arg, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct spans *s = arg;

	if (ev->kind != CTT_EV_DESTROY)	/* its destroy is missing: known from what came after */
		gap(s, c, ev->ts > c->last_ts ? ev->ts : c->last_ts, ev);
	if (s->on_end)
		s->on_end(s->arg, c, ev);
	free(c->span);
	c->span = NULL;
}

void spans_start(struct spans *s)
{
	s->model = ctt_model_new();
	ctt_model_on_end(s->model, end_coro, s);
}

/* The judge's falls behind: what was kept with its coroutines goes with a copy of them. */
static void part(void *arg)
{
	struct spans *s = arg;

	s->model = model_copy(s->model);
	s->shared = false;
	ctt_model_on_end(s->model, end_coro, s);
}

void spans_share(struct spans *s, struct ctt_model *m)
{
	s->model = m;
	s->shared = true;
	s->model->follower = (struct follower){ s, end_coro, part };
}

void spans_finish(struct spans *s, uint64_t now, bool whole)
{
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(s->model, &i));) {
		if (!whole && !c->confirmed) {
			gap(s, c, now > c->last_ts ? now : c->last_ts, NULL);
			continue;
		}
		s->open++;
		close_span(s, c, now > c->last_ts ? now : c->last_ts, NULL);
	}
}

void spans_free(struct spans *s)
{
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(s->model, &i));)
		free(c->span);
	if (!s->shared)
		ctt_model_free(s->model);
}
