/* ct-sched - how a scheduler behaves: per site and per thread how often and how long coroutines
 * run and wait, how long from runnable to running, how many change threads, and who wakes whom.
 *
 * in:	{"probe_id":7,...,"ts":1000,"ev":"wake","site":4,...} {"probe_id":7,...,"ts":13000,"ev":"resume","n":4}
 * out:	resumes migrated  running suspended runnable     p50     p99     max  site
 *	      1        1   40.0us    1.20ms   12.0us  12.0us  12.0us  12.0us  serve() serve.cc:42
 */
#include <stdlib.h>

#include "base/mem.h"
#include "sched.h"
#include "tool/missing.h"

static const char help[] =
	"usage: ct-sched [options] [trace ...]\n"
	"How the scheduler behaves: by site and by thread the number of resumes, the\n"
	"time that coroutines ran, were suspended and were runnable, the delay from\n"
	"runnable to running (p50, p99, max, a histogram), changes of thread; and who\n"
	"wakes whom.\n\n"
	"  --top=N        the first N of each list (default 10; 0: all; --json: all)\n"
	"  --histograms   one of the delays for each site and thread, too\n"
	"  --from=TIME    only what was from then on: +1.5s from the run's start, or ns\n"
	"  --to=TIME      only what was until then\n"
	"  --site=REGEX   only coroutines at a matching site (\"serve() serve.cc:42\")\n"
	"  --name=REGEX   only coroutines with a matching name\n"
	"  --json         one JSON line a run, site, thread and pair\n"
	"  --color=WHEN   auto, always, never\n"
	"  --strict       bad lines are status 2\n"
	"  --quiet        only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0; 2 usage or unusable input; 3 nothing was recorded.\n\n"
	"example: ct-record ./app | ct-sched --from=+1s --top=20\n";

static struct ctt_common opt;
static uint64_t top = 10;
static bool top_set, histograms;

static bool own_option(int letter, const char *arg)
{
	if (letter == 'h')
		return histograms = true;
	top_set = true;
	return ctt_parse_number(arg, 0, UINT64_MAX, &top);
}

static const struct option options[] = {
	{ "top", required_argument, NULL, 't' },
	{ "histograms", no_argument, NULL, 'h' }, CTT_OPT_FROM, CTT_OPT_TO, CTT_OPT_SITE,
	CTT_OPT_NAME, CTT_OPT_JSON, CTT_OPT_COLOR, CTT_OPT_ALWAYS, CTT_OPT_END
};
static const struct ctt_program program = { "ct-sched", help, options, own_option };


/* The site, where it and the coroutine are wanted; else NULL. */
static struct stats *site_of(struct sched *s, const struct ctt_coro *c)
{
	size_t known = s->sites.count;
	struct stats *p = table_get(&s->sites, c->site, 0);

	if (s->sites.count > known)
		p->chosen = ctt_common_match_site(opt.site, s->spans.model, c->site);
	return p->chosen && (!opt.name || ctt_common_match(opt.name, c->name ? c->name : "")) ?
		p :
		NULL;
}

static bool within(const struct sched *s, uint64_t ts)
{
	return ts >= s->from && ts <= s->to;
}

/* As much of it as lies in the window. */
static uint64_t clip(const struct sched *s, uint64_t from, uint64_t to)
{
	from = from > s->from ? from : s->from;
	to = to < s->to ? to : s->to;
	return to > from ? to - from : 0;
}

static void on_span(void *arg, const struct span *span)
{
	struct sched *s = arg;
	struct stats *p = site_of(s, span->c);
	uint64_t ns = clip(s, span->from, span->to);
	struct stats *t;

	if (!p)
		return;
	p->time[span->what] += ns;
	s->all.time[span->what] += ns;
	if (span->what == RUNNING && span->c->tid) {
		t = table_get(&s->threads, span->c->tid, 0);
		t->time[RUNNING] += ns;
	}
	if (span->what != RUNNABLE || !span->ev || span->ev->kind != CTT_EV_RESUME ||
		!within(s, span->to))
		return;
	t = table_get(&s->threads, span->ev->tid, 0);
	hist_add(&p->delay, span->to - span->from);
	hist_add(&t->delay, span->to - span->from);
	hist_add(&s->all.delay, span->to - span->from);
}

/* A wake has two sides that people look for: the coroutine that did it, and the call. */
static void count_wake(struct sched *s, const struct ctt_event *ev, const struct ctt_coro *c)
{
	const struct ctt_coro *by = ev->by ? ctt_model_coro(s->spans.model, ev->by) : NULL;
	int kind = by ? BY_CORO : BY_THREAD;
	struct stats *p = c ? site_of(s, c) : NULL;
	struct wakes *w;

	s->stray += !c;
	if (!p)
		return;
	p->woken++;
	s->all.woken++;
	if (ev->tid)
		((struct stats *)table_get(&s->threads, ev->tid, 0))->woken++;
	w = table_get(&s->wakes[kind],
		table_index(&s->wakers[kind], by ? by->site : ev->tid, ev->site), c->site);
	w->count++;
}

static void count_run(struct sched *s, const struct ctt_event *ev, const struct ctt_coro *c)
{
	struct stats *p = site_of(s, c), *t;
	/* it may have run elsewhere in between */
	bool gap = ev->has & CTT_HAS_N && c->has_n && ev->n > c->order + 1;
	bool moved = ev->kind == CTT_EV_RESUME && c->resumed && c->tid != ev->tid && !gap;

	if (!p)
		return;
	t = table_get(&s->threads, ev->tid, 0);
	t->suspends += ev->kind == CTT_EV_SUSPEND;
	s->all.suspends += ev->kind == CTT_EV_SUSPEND;
	p->suspends += ev->kind == CTT_EV_SUSPEND;
	if (ev->kind != CTT_EV_RESUME)
		return;
	t->resumes++, s->all.resumes++, p->resumes++;
	t->migrated += moved, s->all.migrated += moved, p->migrated += moved;
}

/* A worker sleeps from its park to whatever it does next. */
static void count_park(struct sched *s, const struct ctt_event *ev)
{
	struct stats *t = table_get(&s->threads, ev->tid, 0);

	if (t->parked_since && ev->ts > t->parked_since)
		t->parked += clip(s, t->parked_since, ev->ts);
	t->parked_since = ev->kind == CTT_EV_PARK ? ev->ts : 0;
	t->parks += ev->kind == CTT_EV_PARK && within(s, ev->ts);
}

static void apply(void *sched, const struct ctt_event *ev)
{
	struct sched *s = sched;
	bool run = ev->kind == CTT_EV_RESUME || ev->kind == CTT_EV_SUSPEND;
	struct ctt_coro *c = run || ev->kind == CTT_EV_WAKE ?
		ctt_model_coro(s->spans.model, ev->probe_id) :
		NULL;
	struct ctt_coro *first;
	struct stats *p;

	if (opt.from.set && !s->from && ev->ts)
		s->from = ctt_when_ns(&opt.from, ev->ts);
	if (opt.to.set && s->to == UINT64_MAX && ev->ts)
		s->to = ctt_when_ns(&opt.to, ev->ts);
	if (within(s, ev->ts)) {
		if (ev->kind == CTT_EV_WAKE)
			count_wake(s, ev, c);
		else if (c && run)
			count_run(s, ev, c);
	}
	if (ev->tid &&
		(ev->kind == CTT_EV_PARK || ev->kind == CTT_EV_UNPARK || ev->kind == CTT_EV_RESUME))
		count_park(s, ev);
	first = spans_apply(&s->spans, ev);
	if (run && !c && first && within(s, ev->ts))
		count_run(s, ev, first);	/* seen in the middle of its life */
	/* reported only now what was met already */
	if (ev->kind == CTT_EV_SITE && opt.site && s->sites.count) {
		p = table_get(&s->sites, ev->site, 0);
		p->chosen = ctt_common_match_site(opt.site, s->spans.model, ev->site);
	}
}

static void *begin(void)
{
	struct sched *s = need(calloc(1, sizeof(*s)));

	s->to = UINT64_MAX;
	s->sites.elem = s->threads.elem = sizeof(struct stats);
	s->wakers[0].elem = s->wakers[1].elem = sizeof(struct waker);
	s->wakes[0].elem = s->wakes[1].elem = sizeof(struct wakes);
	s->spans = (struct spans){ .size = sizeof(struct woken), .arg = s, .on_span = on_span };
	spans_start(&s->spans);
	return s;
}

static const char *doubt_of(const struct ctt_model *m, const struct ctt_trace_run *r)
{
	const char *missing = missing_lines(m, r);

	if (missing)
		return missing;
	return r->ended || r->v1 ? ctt_trace_nothing(r) : "the trace was cut off";
}

static int report(struct ctt_trace *in, void *sched, uint32_t run)
{
	struct sched *s = sched;
	const struct ctt_trace_run *r = ctt_trace_run(in, run);
	struct ctt_model *m = s->spans.model;
	struct sched_view view = { &opt,
		!top                         ? UINT64_MAX :
			opt.json && !top_set ? UINT64_MAX :
					       top,
		histograms, ctt_trace_stats(in)->runs > 1 ? run + 1 : 0 };
	uint64_t last = ctt_model_last_ts(m);

	spans_finish(&s->spans, last, !ctt_model_lost(m) && !r->bad && !r->cut);
	for (size_t i = 0; i < s->threads.count; i++) {
		struct stats *t = table_at(&s->threads, i);

		if (t->parked_since)
			t->parked += clip(s, t->parked_since, last);
	}
	sched_print(s, &view, clip(s, ctt_model_first_ts(m), last), doubt_of(m, r));
	return 0;
}

static void free_stats(struct table *t)
{
	for (size_t i = 0; i < t->count; i++)
		hist_free(&((struct stats *)table_at(t, i))->delay);
	table_free(t);
}

static void sched_free(void *sched)
{
	struct sched *s = sched;

	spans_free(&s->spans);
	free_stats(&s->sites);
	free_stats(&s->threads);
	hist_free(&s->all.delay);
	for (int i = 0; i < 2; i++) {
		table_free(&s->wakers[i]);
		table_free(&s->wakes[i]);
	}
	free(s);
}

int main(int argc, char *argv[])
{
	static const struct ctt_filter filter = { begin, apply, sched_free, report };
	char **files = ctt_common_parse(argc, argv, &program, &opt);

	return ctt_filter_run(files, &program, &opt, &filter);
}
