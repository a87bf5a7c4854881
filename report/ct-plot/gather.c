/* gather.c - put a trace into the buckets that one kind of plot needs. Contracts in plot.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plot.h"

/* ---- buckets that become half as many ---- */

void hist_merge(struct hist *to, struct hist *from)
{
	for (size_t k = 0; k < HIST_OCTAVES; k++) {
		if (!to->octave[k]) {
			to->octave[k] = from->octave[k];
			from->octave[k] = NULL;
		}
		for (size_t i = 0; from->octave[k] && i < HIST_SUB; i++)
			to->octave[k][i] += from->octave[k][i];
	}
	to->count += from->count;
	to->max = from->max > to->max ? from->max : to->max;
	hist_free(from);
	*from = (struct hist){ 0, 0, { NULL } };
}

static void level_halve(struct level *l)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		double *h = &l->highest[i / 2], *last = &l->last[i / 2];

		if (!(i % 2) || l->highest[i] > *h)
			*h = l->highest[i];
		if (!(i % 2) || l->last[i] >= 0)
			*last = l->last[i];
	}
	for (size_t i = BUCKETS / 2; i < BUCKETS; i++)
		l->highest[i] = l->last[i] = -1;
}

static void halve(struct plot *p)
{
	for (size_t i = 0; i < DOINGS && (p->kind == STATES || p->kind == QUEUES); i++)
		area_halve(&p->state[i], p->axis.width);
	for (size_t i = 0; i < RATES && p->kind == THROUGHPUT; i++)
		counts_halve(p->rate[i]);
	for (size_t i = 1; i < BUCKETS && p->kind == DELAY; i++)
		hist_merge(&p->delay[i / 2], &p->delay[i]);
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

/* ---- threads and queues ---- */

static struct row *row_of(struct plot *p, uint64_t tid)
{
	for (size_t i = 0; i < p->rows; i++)
		if (p->row[i]->tid == tid)
			return p->row[i];
	if (p->rows == MAX_ROWS) {
		p->rows_left++;
		return NULL;
	}
	p->row[p->rows] = need(calloc(1, sizeof(struct row)));
	p->row[p->rows]->tid = tid;
	return p->row[p->rows++];
}

static void level_clear(struct level *l)
{
	for (size_t i = 0; i < BUCKETS; i++)
		l->highest[i] = l->last[i] = -1;
}

static struct level *level_of(struct plot *p, const struct ctt_event *ev)
{
	uint64_t key = ctt_on_key(&ev->on);
	char label[256];
	struct level *l;

	for (size_t i = 0; i < p->levels; i++)
		if (p->level[i]->key == key && p->level[i]->kind == ev->on.kind)
			return p->level[i];
	if (p->levels == MAX_LEVELS) {
		p->levels_left++;
		return NULL;
	}
	l = p->level[p->levels++] = need(calloc(1, sizeof(*l)));
	level_clear(l);
	l->kind = ev->on.kind;
	l->key = key;
	l->label = need(strdup(ctt_on_text(label, sizeof(label), &ev->on)));
	return l;
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

static void lengths(struct plot *p, const struct ctt_event *ev)
{
	if (ev->kind == CTT_EV_LEVEL && ev->on.known && ev->on.kind != CTT_ON_NONE)
		level_set(p, level_of(p, ev), ev->ts, ev->level.value);
	else if ((ev->kind == CTT_EV_PARK || ev->kind == CTT_EV_UNPARK) && ev->has & CTT_HAS_VALUE)
		level_set(p, &p->depth, ev->ts, ctt_ev_value(ev));
}

/* ---- coroutines ---- */

static void rates(struct plot *p, const struct ctt_event *ev)
{
	static const enum rate of[CTT_EV_KINDS] = {
		[CTT_EV_WAKE] = WAKES, [CTT_EV_CREATE] = CREATES, [CTT_EV_DESTROY] = ENDS
	};
	bool counts = ev->kind == CTT_EV_RESUME || of[ev->kind];
	size_t b;

	if (!counts || !axis_bucket(&p->axis, ev->ts, &b))
		return;
	p->rate[of[ev->kind]][b]++;
	p->seen++;
}

/* Not one that ended by a destroy: nobody knows for how long it would have waited. */
static void waited(struct plot *p, const struct span *s)
{
	struct site_waits *w;
	uint64_t ns = s->to - s->from;

	if (s->to < p->axis.from || s->to > p->axis.to || (s->ev && s->ev->kind == CTT_EV_DESTROY))
		return;
	w = table_get(&p->waits, s->c->site, 0);
	p->seen++;
	if (s->ev || s->woken) {
		hist_add(&w->h, ns);
		return;
	}
	w->pending++;
	w->oldest = ns > w->oldest ? ns : w->oldest;
}

static void on_span(void *arg, const struct span *s)
{
	struct plot *p = arg;
	struct row *row;
	size_t b;

	if (p->kind == STATES || (p->kind == QUEUES && s->what == RUNNABLE)) {
		area_add(&p->axis, &p->state[s->what], s->from, s->to);
		p->seen++;
	} else if (p->kind == WAITS && s->what == SUSPENDED) {
		waited(p, s);
	} else if (p->kind == HEATMAP && s->what == RUNNING && (row = row_of(p, s->c->tid))) {
		area_add(&p->axis, &row->busy, s->from, s->to);
		p->seen++;
	} else if (p->kind == DELAY && s->what == RUNNABLE && s->ev &&
		s->ev->kind == CTT_EV_RESUME && axis_bucket(&p->axis, s->to, &b)) {
		hist_add(&p->delay[b], s->to - s->from);
		p->seen++;
	}
}

static void on_end(void *arg, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct plot *p = arg;

	(void)c; (void)ev;
	p->coroutines++;
}

static void lost_line(struct plot *p, const struct ctt_event *ev)
{
	size_t from = 0, to = 0;
	uint64_t begin = ev->lost.from > p->axis.from ? ev->lost.from : p->axis.from,
		 end = ev->lost.to < p->axis.to ? ev->lost.to : p->axis.to;

	if (!ev->lost.to || end < begin || !axis_bucket(&p->axis, begin, &from) ||
		!axis_bucket(&p->axis, end, &to))
		return;
	for (; from <= to; from++)
		p->lost[from]++;
}

void plot_apply(struct plot *p, const struct ctt_event *ev)
{
	if (ev->ts)
		fit(p, ev->ts);
	if (ev->ts > p->axis.to && ev->kind != CTT_EV_THREAD && ev->kind != CTT_EV_LOST)
		return;			/* the state is that of then */
	if (ev->kind >= CTT_EV_CREATE && ev->kind <= CTT_EV_DESTROY)
		p->events++;
	if (ev->kind == CTT_EV_LOST)
		lost_line(p, ev);
	else if (p->kind == THROUGHPUT)
		rates(p, ev);
	else if (p->kind == QUEUES)
		lengths(p, ev);
	spans_apply(&p->spans, ev);
}

void plot_end(struct plot *p, const struct ctt_trace_run *r)
{
	p->coroutines += ctt_model_live(p->spans.model);
	spans_finish(&p->spans, p->axis.end, !ctt_model_lost(p->spans.model) && !r->bad && !r->cut);
}

struct plot *plot_new(enum kind kind, uint64_t from, uint64_t to)
{
	struct plot *p = need(calloc(1, sizeof(*p)));

	p->kind = kind;
	p->axis.from = from;
	p->axis.to = to;
	p->waits.elem = sizeof(struct site_waits);
	p->spans = (struct spans){
		.size = sizeof(struct woken), .arg = p, .on_span = on_span, .on_end = on_end
	};
	spans_start(&p->spans);
	level_clear(&p->depth);
	return p;
}

void plot_free(struct plot *p)
{
	for (size_t i = 0; i < p->waits.count; i++)
		hist_free(&((struct site_waits *)table_at(&p->waits, i))->h);
	for (size_t i = 0; i < BUCKETS; i++)
		hist_free(&p->delay[i]);
	for (size_t i = 0; i < p->rows; i++)
		free(p->row[i]);
	for (size_t i = 0; i < p->levels; i++) {
		free(p->level[i]->label);
		free(p->level[i]);
	}
	table_free(&p->waits);
	spans_free(&p->spans);
	free(p);
}
