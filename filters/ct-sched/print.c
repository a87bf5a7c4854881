/* print.c - what ct-sched found, for people and as JSON lines. Contracts in sched.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sched.h"

static int more_first(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

/* Where most time is lost comes first: runnable, then suspended; then by number. */
static int by_time(const void *a, const void *b)
{
	const struct stats *x = *(struct stats *const *)a, *y = *(struct stats *const *)b;
	int order = more_first(x->time[RUNNABLE], y->time[RUNNABLE]);

	order = order ? order : more_first(x->time[SUSPENDED], y->time[SUSPENDED]);
	order = order ? order : more_first(x->resumes, y->resumes);
	return order ? order : x->key.a < y->key.a ? -1 : x->key.a > y->key.a;
}

static int by_tid(const void *a, const void *b)
{
	const struct stats *x = *(struct stats *const *)a, *y = *(struct stats *const *)b;

	return x->key.a < y->key.a ? -1 : x->key.a > y->key.a;
}

struct listed { int kind; uint64_t waker, at, woken, count; };
static int by_count(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->waker != y->waker)
		return x->waker < y->waker ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->woken < y->woken ? -1 : x->woken > y->woken;
}

static struct stats **sorted(const struct table *t, bool sites, size_t *n)
{
	struct stats **list = need(calloc(t->count + 1, sizeof(*list)));

	*n = 0;
	for (size_t i = 0; i < t->count; i++) {
		struct stats *s = table_at(t, i);
		bool idle = !s->resumes && !s->suspends && !s->woken && !s->parks && !s->parked;

		for (int k = 0; k < DOINGS; k++)
			idle &= !s->time[k];
		if (!idle && (!sites || s->chosen))
			list[(*n)++] = s;
	}
	qsort(list, *n, sizeof(*list), sites ? by_time : by_tid);
	return list;
}

static void thread_name(FILE *f, const struct ctt_model *m, uint64_t tid)
{
	const struct ctt_worker *w = ctt_model_worker(m, tid);

	fprintf(f, "thread %" PRIu64, tid);
	if (!w || !w->name || !*w->name)
		return;
	fputs(" \"", f);
	ctt_out_text(f, w->name, strlen(w->name));
	putc('"', f);
}

static void numbers(const struct stats *s)
{
	static const enum doing shown[] = { RUNNING, SUSPENDED, RUNNABLE };
	char time[24];

	printf("%8" PRIu64 " %8" PRIu64, s->resumes, s->migrated);
	for (size_t i = 0; i < 3; i++)
		printf(" %9s", ctt_out_duration(time, s->time[shown[i]]));
}

static void delays(const struct stats *s)
{
	static const double shares[] = { 0.5, 0.99 };
	char time[24];

	for (size_t i = 0; i < 2; i++)
		printf(" %7s",
			s->delay.count ?
				ctt_out_duration(time, hist_quantile(&s->delay, shares[i])) :
				"-");
	printf(" %7s  ", s->delay.count ? ctt_out_duration(time, s->delay.max) : "-");
}

static void heading(const struct sched_view *v, const char *text)
{
	printf("\n%s%s%s\n", v->opt->color ? "\033[1m" : "", text, v->opt->color ? "\033[0m" : "");
}

static void more(size_t n, uint64_t top)
{
	if (n > top)
		printf("  ... and %" PRIu64 " more (--top)\n", n - top);
}

static void sites_text(const struct sched *s, const struct sched_view *v)
{
	size_t n;
	struct stats **list = sorted(&s->sites, true, &n);
	char site[512];

	if (n)
		heading(v,
			" resumes migrated   running suspended  runnable     p50     p99     max  site");
	for (size_t i = 0; i < n && i < v->top; i++) {
		numbers(list[i]);
		delays(list[i]);
		puts(ctt_model_site_text(site, sizeof(site), s->spans.model, list[i]->key.a));
		if (v->histograms && list[i]->delay.count)
			hist_text(stdout, &list[i]->delay);
	}
	more(n, v->top);
	free(list);
}

static void threads_text(const struct sched *s, const struct sched_view *v)
{
	size_t n;
	struct stats **list = sorted(&s->threads, false, &n);
	char time[24];

	if (n)
		heading(v,
			" resumes migrated   running    parked     parks     wakes     p50     p99     max  thread");
	for (size_t i = 0; i < n && i < v->top; i++) {
		const struct stats *t = list[i];

		printf("%8" PRIu64 " %8" PRIu64 " %9s", t->resumes, t->migrated,
			ctt_out_duration(time, t->time[RUNNING]));
		printf(" %9s %9" PRIu64 " %9" PRIu64, ctt_out_duration(time, t->parked), t->parks,
			t->woken);
		delays(t);
		thread_name(stdout, s->spans.model, t->key.a);
		putchar('\n');
		if (v->histograms && t->delay.count)
			hist_text(stdout, &t->delay);
	}
	more(n, v->top);
	free(list);
}

static struct listed *list_wakes(const struct sched *s, size_t *n)
{
	struct listed *list =
		need(calloc(s->wakes[0].count + s->wakes[1].count + 1, sizeof(*list)));

	*n = 0;
	for (int kind = 0; kind < 2; kind++)
		for (size_t i = 0; i < s->wakes[kind].count; i++) {
			const struct wakes *w = table_at(&s->wakes[kind], i);
			const struct waker *who = table_at(&s->wakers[kind], w->key.a);

			list[(*n)++] =
				(struct listed){ kind, who->key.a, who->key.b, w->key.b, w->count };
		}
	qsort(list, *n, sizeof(*list), by_count);
	return list;
}

static void wakes_text(const struct sched *s, const struct sched_view *v)
{
	const struct ctt_model *m = s->spans.model;
	size_t n;
	struct listed *list = list_wakes(s, &n);
	char site[512];

	if (n)
		heading(v, "   wakes  waker (call) -> woken");
	for (size_t i = 0; i < n && i < v->top; i++) {
		printf("%8" PRIu64 "  ", list[i].count);
		if (list[i].kind == BY_THREAD)
			thread_name(stdout, m, list[i].waker);
		else
			fputs(ctt_model_site_text(site, sizeof(site), m, list[i].waker), stdout);
		if (list[i].at)
			printf(" (%s)", ctt_model_site_text(site, sizeof(site), m, list[i].at));
		printf(" -> %s\n", ctt_model_site_text(site, sizeof(site), m, list[i].woken));
	}
	more(n, v->top);
	free(list);
}

static void unknown_text(const struct sched *s, const char *doubt)
{
	const struct spans *p = &s->spans;
	const struct { uint64_t n; const char *one, *many;
	} said[] = {
		{ p->unknown, "stretch with lines missing in it, not counted",
			"stretches with lines missing in them, not counted" },
		{ p->unwoken, "resume without a wake seen: no delay known",
			"resumes without a wake seen: no delay known" },
		{ p->late, "wake reported after the resume it brought about",
			"wakes reported after the resumes they brought about" },
		{ s->stray, "wake of a coroutine that had ended or was never seen",
			"wakes of coroutines that had ended or were never seen" },
		{ p->before, "coroutine first seen in the middle of its life",
			"coroutines first seen in the middle of their lives" },
		{ p->open, "coroutine lives at the end: its time counts up to there",
			"coroutines live at the end: their time counts up to there" },
		{ p->v1, "line of version 1, which reports no wakes",
			"lines of version 1, which reports no wakes" },
	};

	putchar('\n');
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (said[i].n)
			printf("%" PRIu64 " %s\n", said[i].n,
				said[i].n == 1 ? said[i].one : said[i].many);
	if (doubt)
		printf("%s: the numbers may be too small\n", doubt);
}

static void print_text(
	const struct sched *s, const struct sched_view *v, uint64_t seen, const char *doubt)
{
	const struct stats *a = &s->all;
	char time[4][24];

	if (v->run)
		printf("%srun %" PRIu32 ":\n", v->run > 1 ? "\n" : "", v->run);
	printf("%s traced, %" PRIu64 " resumes, %" PRIu64
	       " on another thread than before; ran %s, suspended %s, runnable %s\n",
		ctt_out_duration(time[0], seen), a->resumes, a->migrated,
		ctt_out_duration(time[1], a->time[RUNNING]),
		ctt_out_duration(time[2], a->time[SUSPENDED]),
		ctt_out_duration(time[3], a->time[RUNNABLE]));
	if (a->delay.count) {
		printf("from runnable to running, %" PRIu64 " times: p50 %s, p99 %s, max %s\n",
			a->delay.count, ctt_out_duration(time[0], hist_quantile(&a->delay, 0.5)),
			ctt_out_duration(time[1], hist_quantile(&a->delay, 0.99)),
			ctt_out_duration(time[2], a->delay.max));
		hist_text(stdout, &a->delay);
	}
	sites_text(s, v);
	threads_text(s, v);
	wakes_text(s, v);
	unknown_text(s, doubt);
}

static void stats_json(const struct stats *s, const struct sched_view *v, bool thread)
{
	printf(",\"resumes\":%" PRIu64 ",\"migrated\":%" PRIu64 ",\"suspends\":%" PRIu64
	       ",\"wakes\":%" PRIu64 ",\"running\":%" PRIu64,
		s->resumes, s->migrated, s->suspends, s->woken, s->time[RUNNING]);
	if (thread)
		printf(",\"parks\":%" PRIu64 ",\"parked\":%" PRIu64, s->parks, s->parked);
	else
		printf(",\"suspended\":%" PRIu64 ",\"runnable\":%" PRIu64 ",\"unstarted\":%" PRIu64,
			s->time[SUSPENDED], s->time[RUNNABLE], s->time[UNSTARTED]);
	fputs(",\"delay\":", stdout);
	hist_json(stdout, &s->delay);
	if (v->run)
		printf(",\"run\":%" PRIu32, v->run);
	fputs("}\n", stdout);
}

static void thread_json(const struct ctt_model *m, uint64_t tid)
{
	const struct ctt_worker *w = ctt_model_worker(m, tid);

	printf("\"tid\":%" PRIu64, tid);
	if (w && w->name) {
		fputs(",\"thread\":", stdout);
		ctt_out_json(stdout, w->name, strlen(w->name));
	}
	if (w && w->role) {
		fputs(",\"role\":", stdout);
		ctt_out_json(stdout, w->role, strlen(w->role));
	}
}

static void wakes_json(const struct sched *s, const struct sched_view *v)
{
	size_t n;
	struct listed *list = list_wakes(s, &n);

	for (size_t i = 0; i < n && i < v->top; i++) {
		fputs("{\"of\":\"wakes\",", stdout);
		if (list[i].kind == BY_THREAD) {
			thread_json(s->spans.model, list[i].waker);
		} else {
			fputs("\"waker\":", stdout);
			ctt_site_json(stdout, ctt_model_site(s->spans.model, list[i].waker));
		}
		fputs(",\"call\":", stdout);
		ctt_site_json(stdout, ctt_model_site(s->spans.model, list[i].at));
		fputs(",\"woken\":", stdout);
		ctt_site_json(stdout, ctt_model_site(s->spans.model, list[i].woken));
		printf(",\"count\":%" PRIu64, list[i].count);
		if (v->run)
			printf(",\"run\":%" PRIu32, v->run);
		fputs("}\n", stdout);
	}
	free(list);
}

static void print_json(
	const struct sched *s, const struct sched_view *v, uint64_t seen, const char *doubt)
{
	const struct spans *p = &s->spans;
	size_t n;
	struct stats **list = sorted(&s->sites, true, &n);

	printf("{\"of\":\"run\",\"traced\":%" PRIu64 ",\"unknown\":%" PRIu64 ",\"unwoken\":%" PRIu64
	       ",\"late\":%" PRIu64 ",\"stray\":%" PRIu64 ",\"before\":%" PRIu64
	       ",\"open\":%" PRIu64 ",\"v1\":%" PRIu64 ",\"doubt\":",
		seen, p->unknown, p->unwoken, p->late, s->stray, p->before, p->open, p->v1);
	if (doubt)
		ctt_out_json(stdout, doubt, strlen(doubt));
	else
		fputs("null", stdout);
	stats_json(&s->all, v, false);
	for (size_t i = 0; i < n && i < v->top; i++) {
		fputs("{\"of\":\"site\",\"site\":", stdout);
		ctt_site_json(stdout, ctt_model_site(s->spans.model, list[i]->key.a));
		stats_json(list[i], v, false);
	}
	free(list);
	list = sorted(&s->threads, false, &n);
	for (size_t i = 0; i < n && i < v->top; i++) {
		fputs("{\"of\":\"thread\",", stdout);
		thread_json(s->spans.model, list[i]->key.a);
		stats_json(list[i], v, true);
	}
	free(list);
	wakes_json(s, v);
}

void sched_print(struct sched *s, const struct sched_view *v, uint64_t seen, const char *doubt)
{
	(v->opt->json ? print_json : print_text)(s, v, seen, doubt);
}
