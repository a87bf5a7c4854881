/* fold.c - events folded into coroutines, sites and intervals. Contracts in csv.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "csv.h"

struct csv_fold {
	struct spans spans;
	struct table sites;
	uint32_t run;
};

static void count(struct csv_tally *t, uint64_t ns)
{
	t->count++;
	t->ns = t->ns + ns < ns ? UINT64_MAX : t->ns + ns;
	t->max = ns > t->max ? ns : t->max;
}

static void add(struct csv_fold *f, const struct span *span, unsigned state)
{
	struct csv_row row = { .run = f->run,
		.time = span->to,
		.span = span,
		.known = state != CSV_UNKNOWN,
		.model = f->spans.model };
	struct life *life = span->c->span;

	if (life)
		count(&life->in[state], span->to - span->from);
	if (csv_wants(&csv_sites))
		count(&((struct csv_site *)table_get(&f->sites, span->c->site, 0))->in[state],
			span->to - span->from);
	if (csv_wants(&csv_intervals))
		csv_emit(&csv_intervals, &row);
}

static void on_span(void *arg, const struct span *span)
{
	add(arg, span, span->what);
}

static void on_gap(void *arg, const struct span *span)
{
	add(arg, span, CSV_UNKNOWN);
}

static void coroutine(struct csv_fold *f, const struct ctt_coro *c, const struct ctt_event *ended)
{
	struct csv_row row = { .run = f->run, .ev = ended, .c = c, .model = f->spans.model };

	if (csv_wants(&csv_coroutines))
		csv_emit(&csv_coroutines, &row);
}

static void on_end(void *arg, struct ctt_coro *c, const struct ctt_event *ev)
{
	coroutine(arg, c, ev);
}

struct csv_fold *csv_fold_new(uint32_t run)
{
	struct csv_fold *f = need(calloc(1, sizeof(*f)));

	f->run = run;
	f->sites.elem = sizeof(struct csv_site);
	f->spans = (struct spans){ .size = sizeof(struct life),
		.arg = f,
		.on_span = on_span,
		.on_gap = on_gap,
		.on_end = on_end };
	spans_start(&f->spans);
	return f;
}

void csv_fold_apply(struct csv_fold *f, const struct ctt_event *ev)
{
	if (ev->kind == CTT_EV_SITE)
		table_get(&f->sites, ev->site, 0);
	spans_apply(&f->spans, ev);
}

static void warn(uint64_t n, const char *what)
{
	if (n)
		fprintf(stderr, "ct-tocsv: %" PRIu64 " %s\n", n, what);
}

void csv_fold_finish(struct csv_fold *f, const struct ctt_trace_run *r, bool quiet)
{
	struct spans *s = &f->spans;
	struct ctt_coro *c;

	spans_finish(
		s, ctt_model_last_ts(s->model), !ctt_model_lost(s->model) && !r->bad && !r->cut);
	for (size_t i = 0; (c = ctt_model_next(s->model, &i));)
		coroutine(f, c, NULL);
	for (size_t i = 0; i < f->sites.count && csv_wants(&csv_sites); i++) {
		struct csv_row row = {
			.run = f->run, .site = table_at(&f->sites, i), .model = s->model
		};

		csv_emit(&csv_sites, &row);
	}
	if (!quiet) {
		warn(s->unknown, "stretches with lines missing in them: state unknown");
		warn(s->v1,
			"lines of version 1, which reports no wakes: all waiting counts as suspended");
		warn(s->v1 ? 0 : s->unwoken,
			"resumes without a wake seen: all of the wait counts as suspended");
		warn(r->cut, "filters left lines out: times may be too small");
	}
	spans_free(s);
	table_free(&f->sites);
	free(f);
}
