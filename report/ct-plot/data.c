/* data.c - the numbers of each kind as data blocks, names as arrays: what share/gnuplot reads.
 * Contracts in plot.h.
 *
 * Each bucket, or several of the same, is two rows, its begin and its end, so that lines are steps
 * and a single one is seen. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plot.h"

enum { SHOWN_SITES = 12, SHOWN_LEVELS = 6, SHOWN_ROWS = 64, LABEL = 48 };

static double at(const struct plot *p, size_t bucket, double unit)
{
	const struct axis *a = &p->axis;
	uint64_t ts = bucket < axis_used(a) ? a->start + bucket * a->width : a->end;

	return (double)(ts - a->start) / unit;
}

static bool same(double (*value)[BUCKETS], size_t n, size_t a, size_t b)
{
	for (size_t i = 0; i < n; i++)
		if (memcmp(&value[i][a], &value[i][b], sizeof(double)))	/* NaN is the same as NaN */
			return false;
	return true;
}

static void columns_row(FILE *f, double time, double (*value)[BUCKETS], size_t n, size_t b)
{
	fprintf(f, "%.9g", time);
	for (size_t i = 0; i < n; i++) {
		if (value[i][b] != value[i][b])
			fputs(" NaN", f);
		else
			fprintf(f, " %.6g", value[i][b]);
	}
	putc('\n', f);
}

/* One column after the other, of `n` series; NaN is a gap. top is the greatest value. */
static void columns(FILE *f, const struct plot *p, double unit, double (*value)[BUCKETS], size_t n)
{
	double top = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t b = 0; b < axis_used(&p->axis); b++)
			top = value[i][b] > top ? value[i][b] : top;
	fprintf(f, "top = %.6g\n", top);
	fputs("$data << END_OF_DATA\n", f);
	for (size_t b = 0, e; b < axis_used(&p->axis); b = e) {
		for (e = b + 1; e < axis_used(&p->axis) && same(value, n, b, e); e++)
			;
		columns_row(f, at(p, b, unit), value, n, b);
		columns_row(f, at(p, e, unit), value, n, b);
	}
	fputs("END_OF_DATA\n", f);
}

static double (*series(size_t n))[BUCKETS]
{
	return need(calloc(n, sizeof(double[BUCKETS])));
}

static void states(FILE *f, const struct plot *p, double unit)
{
	static const enum doing order[] = { RUNNING, RUNNABLE, UNSTARTED, SUSPENDED };
	double (*v)[BUCKETS] = series(4);

	for (size_t i = 0; i < 4; i++)
		area_means(&p->axis, &p->state[order[i]], v[i]);
	columns(f, p, unit, v, 4);
	free(v);
}

static void throughput(FILE *f, const struct plot *p, double unit)
{
	double (*v)[BUCKETS] = series(RATES);
	size_t used = axis_used(&p->axis);

	for (size_t b = 0; b < used; b++) {
		uint64_t begin = p->axis.start + b * p->axis.width,
			 ns = b + 1 < used ? p->axis.width : p->axis.end - begin;

		/* A last bucket that has only begun says nothing of a second. */
		if (4 * ns < p->axis.width)
			ns = p->axis.width;
		for (size_t i = 0; i < RATES; i++)
			v[i][b] = (double)p->rate[i][b] * 1e9 / (double)ns;
	}
	columns(f, p, unit, v, RATES);
	free(v);
}

/* The powers of ten, in seconds, that hold times from `least` to `most` ns. */
static void decades(FILE *f, uint64_t least, uint64_t most)
{
	int low = -9, high = -9;

	for (double at = 10; at <= (double)least && low < 5; at *= 10)
		low++;
	for (double at = 1; at < (double)most + 1 && high < 6; at *= 10)
		high++;
	fprintf(f, "low = %d\nhigh = %d\n", low, high > low ? high : low + 1);
}

static void delays(FILE *f, struct plot *p, double unit)
{
	static const double quantile[] = { 0.5, 0.9, 0.99 };
	double (*v)[BUCKETS] = series(4);
	struct hist all = { 0, 0, { NULL } };

	for (size_t b = 0; b < BUCKETS; b++) {
		struct hist *h = &p->delay[b];

		for (size_t i = 0; i < 3; i++)
			v[i][b] = h->count ? (double)(hist_quantile(h, quantile[i]) + 1) / 1e9 :
					     0.0 / 0.0;
		v[3][b] = h->count ? (double)(h->max + 1) / 1e9 : 0.0 / 0.0;
		hist_merge(&all, h);
	}
	columns(f, p, unit, v, 4);
	decades(f, hist_quantile(&all, 0), all.max);
	fputs("array label[4] = [", f);
	for (size_t i = 0; i < 4; i++) {
		char text[64], d[24];

		snprintf(text, sizeof(text), "%s (all: %s)",
			i == 3         ? "longest" :
				i == 2 ? "99 %" :
				i == 1 ? "90 %" :
					 "50 %",
			ctt_out_duration(d, i == 3 ? all.max : hist_quantile(&all, quantile[i])));
		fputs(i ? ", " : "", f);
		plot_string(f, text, LABEL);
	}
	fputs("]\n", f);
	hist_free(&all);
	free(v);
}

/* ---- waits ---- */

static uint64_t longest(const struct site_waits *w)
{
	return w->h.max > w->oldest ? w->h.max : w->oldest;
}

static int by_longest(const void *a, const void *b)
{
	const struct site_waits *x = *(struct site_waits *const *)a,
				*y = *(struct site_waits *const *)b;

	if (longest(x) != longest(y))
		return longest(x) > longest(y) ? -1 : 1;
	return x->site.a < y->site.a ? -1 : x->site.a > y->site.a;
}

static void wait_row(FILE *f, const struct site_waits *w, size_t y)
{
	static const double quantile[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };

	fprintf(f, "%zu", y);
	for (size_t i = 0; i < 5; i++) {
		if (w->h.count)
			fprintf(f, " %.6g", (double)(hist_quantile(&w->h, quantile[i]) + 1) / 1e9);
		else
			fputs(" NaN", f);
	}
	if (w->h.count)
		fprintf(f, " %.6g", (double)(w->h.max + 1) / 1e9);
	else
		fputs(" NaN", f);
	if (w->pending)
		fprintf(f, " %.6g\n", (double)(w->oldest + 1) / 1e9);
	else
		fputs(" NaN\n", f);
}

static void wait_label(FILE *f, const struct plot *p, const struct site_waits *w)
{
	char text[512];

	plot_tic(f,
		w->site.a ? ctt_model_site_text(text, sizeof(text), p->spans.model, w->site.a) :
			    "site not known",
		LABEL);
	fprintf(f, ".' (%" PRIu64, w->h.count);
	if (w->pending)
		fprintf(f, " + %" PRIu64, w->pending);
	fputs(")'", f);
}

static void extent(FILE *f, struct site_waits *const *w, size_t n)
{
	uint64_t least = UINT64_MAX, most = 0, ended = 0, waiting = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t from = w[i]->h.count ? hist_quantile(&w[i]->h, 0.05) : w[i]->oldest;

		ended += w[i]->h.count;
		waiting += w[i]->pending;
		least = from < least ? from : least;
		most = longest(w[i]) > most ? longest(w[i]) : most;
	}
	decades(f, least, most);
	fprintf(f, "ended = %d\nwaiting = %d\n", ended > 0, waiting > 0);
}

static void waits(FILE *f, const struct plot *p)
{
	size_t n = p->waits.count, shown;
	struct site_waits **w = need(malloc((n + 1) * sizeof(struct site_waits *)));

	for (size_t i = 0; i < n; i++)
		w[i] = table_at(&p->waits, i);
	qsort(w, n, sizeof(struct site_waits *), by_longest);
	shown = n < SHOWN_SITES ? n : SHOWN_SITES;
	fprintf(f, "n = %zu\nmore = %zu\narray label[%zu] = [", shown, n - shown, shown);
	for (size_t i = 0; i < shown; i++) {
		fputs(i ? ", " : "", f);
		wait_label(f, p, w[shown - 1 - i]);
	}
	fputs("]\n", f);
	extent(f, w, shown);
	fputs("$data << END_OF_DATA\n", f);
	for (size_t i = 0; i < shown; i++)	/* the longest on top */
		wait_row(f, w[shown - 1 - i], i + 1);
	fputs("END_OF_DATA\n", f);
	free(w);
}

/* ---- heatmap ---- */

static void row_label(FILE *f, const struct plot *p, const struct row *r)
{
	const struct ctt_worker *w = ctt_model_worker(p->spans.model, r->tid);

	plot_tic(f, w && w->name && *w->name ? w->name : "thread", LABEL);
	fprintf(f, ".' (%" PRIu64 ")'", r->tid);
}

static int by_tid(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void heatmap(FILE *f, struct plot *p)
{
	size_t shown = p->rows < SHOWN_ROWS ? p->rows : SHOWN_ROWS, used = axis_used(&p->axis);
	size_t twice = shown < 2 || used < 2 ? 2 : 1;	/* gnuplot's pictures begin at two by two */
	double v[BUCKETS];

	qsort(p->row, p->rows, sizeof(*p->row), by_tid);
	fprintf(f, "n = %zu\nmore = %zu\nused = %zu\ntwice = %zu\narray label[%zu] = [", shown,
		p->rows - shown, used, twice, shown);
	for (size_t i = 0; i < shown; i++) {
		fputs(i ? ", " : "", f);
		row_label(f, p, p->row[i]);
	}
	fputs("]\n$data << END_OF_DATA\n", f);
	for (size_t i = 0; i < twice * shown; i++) {
		area_means(&p->axis, &p->row[i / twice]->busy, v);
		for (size_t b = 0; b < twice * used; b++)	/* nested ones count once */
			fprintf(f, "%s%.3g", b ? " " : "",
				v[b / twice] < 1 ? 100 * v[b / twice] : 100);
		putc('\n', f);
	}
	fputs("END_OF_DATA\n", f);
}

/* ---- queues ---- */

static int by_height(const void *a, const void *b)
{
	const struct level *x = *(struct level *const *)a, *y = *(struct level *const *)b;

	return x->max != y->max ? x->max > y->max ? -1 : 1 : strcmp(x->label, y->label);
}

/* In a bucket where nothing was reported, the length is what it was before. */
static void level_series(const struct level *l, double *v)
{
	double last = 0.0 / 0.0;

	for (size_t b = 0; b < BUCKETS; b++) {
		v[b] = l->highest[b] >= 0 ? l->highest[b] : last;
		if (l->last[b] >= 0)
			last = l->last[b];
	}
}

static void queue_labels(FILE *f, const struct plot *p, size_t shown, bool depth)
{
	fprintf(f,
		"n = %zu\ndepth = %d\nmore = %zu\narray label[%zu] = ['runnable coroutines (mean)'",
		1 + shown, depth, p->levels - shown, 2 + shown);
	for (size_t i = 0; i < shown; i++) {
		fputs(", ", f);
		plot_string(f, p->level[i]->label, LABEL);
	}
	fputs(depth ? ", 'a worker''s queue, as it parks or unparks (longest)']\n" : ", '']\n", f);
}

static void queues(FILE *f, struct plot *p, double unit)
{
	bool depth = false;
	size_t shown = p->levels < SHOWN_LEVELS ? p->levels : SHOWN_LEVELS;
	double (*v)[BUCKETS] = series(SHOWN_LEVELS + 2);

	area_means(&p->axis, &p->state[RUNNABLE], v[0]);
	qsort(p->level, p->levels, sizeof(*p->level), by_height);
	for (size_t i = 0; i < shown; i++)
		level_series(p->level[i], v[1 + i]);
	for (size_t b = 0; b < BUCKETS; b++) {
		depth |= p->depth.highest[b] >= 0;
		v[1 + shown][b] = p->depth.highest[b] >= 0 ? p->depth.highest[b] : 0.0 / 0.0;
	}
	queue_labels(f, p, shown, depth);
	columns(f, p, unit, v, 1 + shown + depth);
	free(v);
}

void plot_data(FILE *f, struct plot *p, double unit)
{
	switch (p->kind) {
	case STATES:	 states(f, p, unit); break;
	case THROUGHPUT: throughput(f, p, unit); break;
	case WAITS:	 waits(f, p); break;
	case DELAY:	 delays(f, p, unit); break;
	case HEATMAP:	 heatmap(f, p); break;
	default:	 queues(f, p, unit);
	}
}
