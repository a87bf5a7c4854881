/* sched.c - how coroutines were scheduled, of what ct-sched reports the first lines. Contracts in
 * sched.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "sched.h"

static void add(struct sched_row *r, const struct span *s, bool resumed)
{
	r->time[s->what] += s->to - s->from;
	r->resumes += resumed;
	if (s->what == RUNNABLE && resumed)
		hist_add(&r->delay, s->to - s->from);
}

static void on_span(void *arg, const struct span *s)
{
	struct sched_sum *sum = arg;
	/* What was suspended and woken is reported in two spans; the second ends with the
	 * resume. */
	bool resumed = s->ev && s->ev->kind == CTT_EV_RESUME &&
		(s->what == RUNNABLE || !s->woken) && s->what != RUNNING;
	struct sched_row *thread;

	add(&sum->all, s, resumed);
	add(table_get(&sum->sites, s->c->site, 0), s, resumed);
	if (resumed && s->c->resumed && s->c->tid != s->ev->tid)
		sum->migrated++;
	if (s->what == RUNNING && s->c->tid) {
		thread = table_get(&sum->threads, s->c->tid, 0);
		thread->time[RUNNING] += s->to - s->from;
		thread->resumes++;
	}
}

void sched_start(struct sched_sum *sum, struct ctt_model *judged)
{
	sum->sites.elem = sum->threads.elem = sizeof(struct sched_row);
	sum->spans = (struct spans){ .size = sizeof(struct woken), .arg = sum, .on_span = on_span };
	spans_share(&sum->spans, judged);
}

void sched_finish(struct sched_sum *sum, const struct ctt_trace_run *r)
{
	const struct ctt_model *m = sum->spans.model;

	spans_finish(&sum->spans, ctt_model_last_ts(m), !ctt_model_lost(m) && !r->bad && !r->cut);
}

static void rows_free(struct table *t)
{
	for (size_t i = 0; i < t->count; i++)
		hist_free(&((struct sched_row *)table_at(t, i))->delay);
	table_free(t);
}

void sched_stop(struct sched_sum *sum)
{
	rows_free(&sum->sites);
	rows_free(&sum->threads);
	hist_free(&sum->all.delay);
	spans_free(&sum->spans);
}

static int by_lost_time(const void *a, const void *b)
{
	const struct sched_row *x = a, *y = b;

	if (x->time[RUNNABLE] != y->time[RUNNABLE])
		return x->time[RUNNABLE] > y->time[RUNNABLE] ? -1 : 1;
	if (x->resumes != y->resumes)
		return x->resumes > y->resumes ? -1 : 1;
	return x->key.a < y->key.a ? -1 : x->key.a > y->key.a;
}

static int by_tid(const void *a, const void *b)
{
	const struct sched_row *x = a, *y = b;

	return x->key.a < y->key.a ? -1 : x->key.a > y->key.a;
}

/* The table is of no use for finding anything afterwards. */
struct sched_row *sched_sites(struct sched_sum *sum, size_t *n)
{
	*n = sum->sites.count;
	if (*n)
		qsort(sum->sites.item, *n, sizeof(struct sched_row), by_lost_time);
	return table_at(&sum->sites, 0);
}

struct sched_row *sched_threads(struct sched_sum *sum, size_t *n)
{
	*n = sum->threads.count;
	if (*n)
		qsort(sum->threads.item, *n, sizeof(struct sched_row), by_tid);
	return table_at(&sum->threads, 0);
}
