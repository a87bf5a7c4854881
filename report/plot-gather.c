/* plot-gather.c - put a trace into the buckets that one kind of plot needs. Contracts in plot.h. */
#include <stdlib.h>
#include <string.h>

#include "plot.h"

/* What is remembered of a live coroutine: c->evidence. */
struct track {
	enum coro_state state;		/* up to here it is in the buckets */
	uint64_t since;
	uint64_t tid;			/* while it runs */
	uint64_t waited;		/* since when it waited, before it was resumed without a wake; 0 = woken */
	uint64_t site;
};

void *must(void *p)
{
	if (!p)
		die("ct-plot", "out of memory", NULL);
	return p;
}

static void level_halve(struct level *l)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		double *h = &l->highest[i / 2], *last = &l->last[i / 2];

		if (!(i % 2) || l->highest[i] > *h)	/* -1: nothing was told there */
			*h = l->highest[i];
		if (!(i % 2) || l->last[i] >= 0)
			*last = l->last[i];
	}
	for (size_t i = BUCKETS / 2; i < BUCKETS; i++)
		l->highest[i] = l->last[i] = -1;
}

static void halve(struct plot *p)
{
	for (size_t i = 0; i < CORO_ENDED && (p->kind == STATES || p->kind == QUEUES); i++)
		area_halve(&p->state[i], p->axis.width);
	for (size_t i = 0; i < RATES && p->kind == THROUGHPUT; i++)
		counts_halve(p->rate[i].in);
	for (size_t i = 0; i < BUCKETS && p->kind == DELAY; i++) {
		struct histogram h = p->delay[i];

		memset(&p->delay[i], 0, sizeof(h));
		histogram_merge(&p->delay[i / 2], &h);
	}
	for (size_t i = 0; i < p->rows; i++)
		area_halve(&p->row[i]->busy, p->axis.width);
	for (size_t i = 0; i < p->levels; i++)
		level_halve(p->level[i]);
	level_halve(&p->depth);
	counts_halve(p->lost);
	p->axis.width *= 2;
}

void plot_coarsen(struct plot *p, size_t buckets)
{
	while (axis_used(&p->axis) > buckets)
		halve(p);
}

static void fit(struct plot *p, uint64_t ts)
{
	while (!axis_fits(&p->axis, ts))
		halve(p);
}

static void count(struct plot *p, enum rate rate, uint64_t ts)
{
	size_t b;

	if (!axis_bucket(&p->axis, ts, &b))
		return;
	p->rate[rate].in[b]++;
	p->seen++;
}

/* ---- waits by site ---- */

static struct site_waits **waits_slot(struct plot *p, uint64_t site)
{
	size_t i = (size_t)(site * 0x9E3779B97F4A7C15ull >> 20) & (p->waits_size - 1);

	while (p->waits[i] && p->waits[i]->site != site)
		i = (i + 1) & (p->waits_size - 1);
	return &p->waits[i];
}

static void waits_grow(struct plot *p)
{
	struct site_waits **old = p->waits;
	size_t n = p->waits_size;

	p->waits_size = n ? 2 * n : 64;
	p->waits = must(calloc(p->waits_size, sizeof(*p->waits)));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*waits_slot(p, old[i]->site) = old[i];
	free(old);
}

static struct site_waits *waits_at(struct plot *p, uint64_t site)
{
	struct site_waits **w;

	if (4 * p->waits_count >= 3 * p->waits_size)
		waits_grow(p);
	w = waits_slot(p, site);
	if (!*w) {
		*w = must(calloc(1, sizeof(**w)));
		(*w)->site = site;
		p->waits_count++;
	}
	return *w;
}

/* ---- rows and levels ---- */

static struct row *row_of(struct plot *p, uint64_t tid)
{
	for (size_t i = 0; i < p->rows; i++)
		if (p->row[i]->tid == tid)
			return p->row[i];
	if (p->rows == MAX_ROWS) {
		p->rows_left++;
		return NULL;
	}
	p->row[p->rows] = must(calloc(1, sizeof(struct row)));
	p->row[p->rows]->tid = tid;
	return p->row[p->rows++];
}

static void level_clear(struct level *l)
{
	for (size_t i = 0; i < BUCKETS; i++)
		l->highest[i] = l->last[i] = -1;
}

static struct level *level_of(struct plot *p, const struct event *ev)
{
	uint64_t key = on_key(&ev->on);
	char label[256];

	for (size_t i = 0; i < p->levels; i++)
		if (p->level[i]->key == key && p->level[i]->kind == ev->on.kind)
			return p->level[i];
	if (p->levels == MAX_LEVELS) {
		p->levels_left++;
		return NULL;
	}
	p->level[p->levels] = must(calloc(1, sizeof(struct level)));
	level_clear(p->level[p->levels]);
	p->level[p->levels]->kind = ev->on.kind;
	p->level[p->levels]->key = key;
	p->level[p->levels]->label = must(strdup(on_text(label, sizeof(label), &ev->on)));
	return p->level[p->levels++];
}

static void level_set(struct plot *p, struct level *l, uint64_t ts, uint64_t value)
{
	size_t b;

	if (!l || !axis_bucket(&p->axis, ts, &b))
		return;
	if ((double)value > l->highest[b])
		l->highest[b] = (double)value;
	l->last[b] = (double)value;
	l->max = value > l->max ? value : l->max;
	p->seen++;
}

/* ---- coroutines ---- */

static bool inside(const struct plot *p, uint64_t ts)
{
	return ts >= p->axis.from && ts <= p->axis.to;
}

static void delayed(struct plot *p, uint64_t from, uint64_t to)
{
	size_t b;

	if (to < from || !axis_bucket(&p->axis, to, &b))
		return;
	histogram_add(&p->delay[b], to - from);
	p->seen++;
}

/* It was in a state for a while, and no longer. */
static void lasted(struct plot *p, const struct track *t, uint64_t to)
{
	struct row *row;

	if (to < t->since)
		return;
	switch (p->kind) {
	case STATES:
		p->seen++;
		/* fallthrough */
	case QUEUES:
		if (p->kind == STATES || t->state == CORO_RUNNABLE)
			area_add(&p->axis, &p->state[t->state], t->since, to);
		break;
	case WAITS:
		if (t->state == CORO_SUSPENDED && inside(p, to)) {
			histogram_add(&waits_at(p, t->site)->h, to - t->since);
			p->seen++;
		}
		break;
	case HEATMAP:
		row = t->state == CORO_RUNNING ? row_of(p, t->tid) : NULL;
		if (row)
			area_add(&p->axis, &row->busy, t->since, to);
		p->seen += row != NULL;
		break;
	default:
		break;
	}
}

static struct track *track_of(struct plot *p, struct coro *c)
{
	struct track *t = c->evidence;

	if (!t) {
		c->evidence = t = must(calloc(1, sizeof(*t)));
		*t = (struct track){ c->state, c->since, c->tid, 0, c->site };
		p->coroutines++;
	}
	return t;
}

/* A wake's line may stand after that of the resume which it brought about. */
static void late_wake(struct plot *p, struct track *t, const struct coro *c, const struct event *ev)
{
	if (c->state != CORO_RUNNING || !t->waited || ev->ts < t->waited || ev->ts > c->resumed)
		return;
	delayed(p, ev->ts, c->resumed);
	t->waited = 0;
}

static void moved(struct plot *p, struct coro *c, const struct event *ev)
{
	struct track *t = track_of(p, c);

	if (p->kind == DELAY && ev->kind == EV_WAKE)
		late_wake(p, t, c, ev);
	if (t->state == c->state && t->since == c->since)
		return;
	lasted(p, t, c->since);
	if (c->state == CORO_RUNNING) {
		t->waited = t->state == CORO_SUSPENDED ? t->since : 0;
		if (p->kind == DELAY && t->state == CORO_RUNNABLE)
			delayed(p, t->since, c->since);
		t->tid = c->tid;
	}
	t->state = c->state;
	t->since = c->since;
	t->site = c->site;
}

static void on_end(void *arg, struct coro *c, const struct event *ev)
{
	struct plot *p = arg;
	struct track *t = c->evidence;

	/* Not what was destroyed while it waited: nobody knows for how long it would have. */
	if (t && !(p->kind == WAITS && t->state == CORO_SUSPENDED))
		lasted(p, t, ev->ts);
	free(t);
	c->evidence = NULL;
}

static void lost_line(struct plot *p, const struct event *ev)
{
	size_t from = 0, to = 0;
	uint64_t begin = ev->from > p->axis.from ? ev->from : p->axis.from, end = ev->to < p->axis.to ? ev->to : p->axis.to;

	if (!ev->to || end < begin || !axis_bucket(&p->axis, begin, &from) || !axis_bucket(&p->axis, end, &to))
		return;
	for (; from <= to; from++)
		p->lost[from]++;
}

static void rates(struct plot *p, const struct event *ev)
{
	switch (ev->kind) {
	case EV_RESUME:	count(p, RESUMES, ev->ts); break;
	case EV_WAKE:	count(p, WAKES, ev->ts); break;
	case EV_CREATE:	count(p, CREATES, ev->ts); break;
	case EV_DESTROY: count(p, ENDS, ev->ts); break;
	default: break;
	}
}

static void lengths(struct plot *p, const struct event *ev)
{
	if (ev->kind == EV_LEVEL && ev->on.known && ev->on.kind != ON_NONE)
		level_set(p, level_of(p, ev), ev->ts, ev->value);
	else if ((ev->kind == EV_PARK || ev->kind == EV_UNPARK) && ev->has & HAS_VALUE)
		level_set(p, &p->depth, ev->ts, ev->value);
}

void plot_apply(struct plot *p, const struct event *ev)
{
	struct coro *c;

	if (ev->ts)
		fit(p, ev->ts);
	if (ev->ts > p->axis.to && ev->kind != EV_THREAD && ev->kind != EV_LOST)
		return;			/* the state is that of then */
	if (ev->kind >= EV_CREATE && ev->kind <= EV_DESTROY)
		p->events++;
	if (ev->kind == EV_LOST)
		lost_line(p, ev);
	else if (p->kind == THROUGHPUT)
		rates(p, ev);
	else if (p->kind == QUEUES)
		lengths(p, ev);
	c = model_apply(p->model, ev);
	if (c)
		moved(p, c, ev);
}

void plot_end(struct plot *p)
{
	struct coro *c;

	for (size_t i = 0; (c = model_next(p->model, &i));) {
		struct track *t = track_of(p, c);
		uint64_t now = p->axis.end;

		if (p->kind == WAITS && t->state == CORO_SUSPENDED) {
			struct site_waits *w = waits_at(p, t->site);
			uint64_t age = now > t->since ? now - t->since : 0;

			w->pending++;
			w->oldest = age > w->oldest ? age : w->oldest;
			p->seen++;
		} else {
			lasted(p, t, now);
		}
	}
}

struct plot *plot_new(enum kind kind, uint64_t from, uint64_t to)
{
	struct plot *p = must(calloc(1, sizeof(*p)));

	p->kind = kind;
	p->axis.from = from;
	p->axis.to = to;
	p->model = model_new();
	level_clear(&p->depth);
	model_on_end(p->model, on_end, p);
	return p;
}

void plot_free(struct plot *p)
{
	struct coro *c;

	for (size_t i = 0; (c = model_next(p->model, &i));)
		free(c->evidence);
	for (size_t i = 0; i < p->waits_size; i++)
		free(p->waits[i]);
	for (size_t i = 0; i < p->rows; i++)
		free(p->row[i]);
	for (size_t i = 0; i < p->levels; i++) {
		free(p->level[i]->label);
		free(p->level[i]);
	}
	free(p->waits);
	model_free(p->model);
	free(p);
}
