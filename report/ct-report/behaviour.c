/* behaviour.c - the sections about how the program behaved: memory-corruption suspects,
 * scheduling. */
#include <inttypes.h>

#include "sections.h"

/* ---- suspects ---- */

static void crash(const struct doc *d, const struct run *r, const struct exited *x)
{
	static const char *const heads[] = { "thread>", "coroutine", "suspended last at",
		"running for>" };
	struct cells t = { { NULL }, 0 };
	const struct ctt_worker *w;

	for (size_t i = 0; i < 4; i++)
		cell(&t, heads[i]);
	for (size_t i = 0; (w = crash_thread(r, x, &i));) {
		const struct ctt_coro *c = ctt_model_coro(r->model, w->running);

		cell(&t,
			w->name && *w->name ?
				format("%" PRIu64 " %s", w->tid, doc_code(d, w->name)) :
				format("%" PRIu64, w->tid));
		cell(&t, doc_code(d, coro_of(c)));
		cell(&t, c->site ? doc_code(d, site_text(r, c->site)) : "");
		cell(&t, duration_of(x->ts > c->since ? x->ts - c->since : 0));
	}
	doc_para(d,
		format("Process %" PRIu64 " was %s at %s [line %" PRIu64 "].%s", x->pid,
			exit_text(x), since_start(r, x->ts), x->line,
			t.count > 4 ?
				" On its threads ran:" :
				" No coroutine ran on its threads, as far as the trace shows."));
	if (t.count > 4)
		doc_table(d, t.cell, 4, t.count / 4);
}

void suspects_section(const struct doc *d, const struct run *r)
{
	const struct suspects *s = &r->suspects;
	bool any = suspects_count(s);

	doc_heading(d, 2, "Memory-corruption suspects");
	for (size_t i = 0; i < r->exit_count; i++)
		if (is_crash(&r->exits[i])) {
			crash(d, r, &r->exits[i]);
			any = true;
		}
	for (int k = 0; k < SUSPICIONS; k++) {
		if (!s->count[k])
			continue;
		doc_para(d,
			format("%s (%" PRIu64 "):", suspicion_text((enum suspicion)k),
				s->count[k]));
		for (uint64_t i = 0; i < s->count[k] && i < SUSPECTS_KEPT; i++)
			doc_item(d,
				format("line %" PRIu64 ": %s", s->kept[k][i].line,
					doc_code(d, s->kept[k][i].what)));
		if (s->count[k] > SUSPECTS_KEPT)
			doc_item(
				d, format("... and %" PRIu64 " more", s->count[k] - SUSPECTS_KEPT));
		doc_end_items(d);
	}
	if (!any)
		doc_para(d, "None.");
}

/* ---- scheduling ---- */

static const char *quantile(const struct hist *h, double share)
{
	return h->count ? duration_of(share < 1 ? hist_quantile(h, share) : h->max) : "";
}

static void sched_sites_table(const struct doc *d, const struct report *rp, struct run *r)
{
	static const char *const heads[] = { "resumes>", "running>", "suspended>", "runnable>",
		"delay p50>", "p99>", "max>", "where" };
	struct cells t = { { NULL }, 0 };
	size_t n;
	struct sched_row *row = sched_sites(&r->sched, &n);

	for (size_t i = 0; i < 8; i++)
		cell(&t, heads[i]);
	for (size_t i = 0; i < few(rp, n) && t.count + 8 <= CELLS; i++, row++) {
		number(&t, row->resumes);
		cell(&t, duration_of(row->time[RUNNING]));
		cell(&t, duration_of(row->time[SUSPENDED]));
		cell(&t, duration_of(row->time[RUNNABLE]));
		cell(&t, quantile(&row->delay, 0.5));
		cell(&t, quantile(&row->delay, 0.99));
		cell(&t, quantile(&row->delay, 1));
		cell(&t, row->key.a ? doc_code(d, site_text(r, row->key.a)) : "");
	}
	doc_para(d,
		n > few(rp, n) ? format("By site, the first %zu of %zu:", few(rp, n), n) :
				 "By site:");
	doc_table(d, t.cell, 8, t.count / 8);
}

static void sched_threads_table(const struct doc *d, const struct report *rp, struct run *r)
{
	static const char *const heads[] = { "thread>", "name", "runs>", "running>",
		"of its time>" };
	uint64_t span = ctt_model_last_ts(r->model) - ctt_model_first_ts(r->model);
	struct cells t = { { NULL }, 0 };
	size_t n, shown;
	struct sched_row *row = sched_threads(&r->sched, &n);

	shown = rp->all || n < 16 ? n : 16;
	for (size_t i = 0; i < 5; i++)
		cell(&t, heads[i]);
	for (size_t i = 0; i < shown && t.count + 5 <= CELLS; i++, row++) {
		const struct ctt_worker *w = ctt_model_worker(r->model, row->key.a);

		number(&t, row->key.a);
		cell(&t, w && w->name && *w->name ? doc_code(d, w->name) : "");
		number(&t, row->resumes);
		cell(&t, duration_of(row->time[RUNNING]));
		cell(&t,
			format("%.1f %%",
				span ? 100 * (double)row->time[RUNNING] / (double)span : 0));
	}
	doc_para(
		d, n > shown ? format("By thread, the first %zu of %zu:", shown, n) : "By thread:");
	doc_table(d, t.cell, 5, t.count / 5);
}

void sched_section(const struct doc *d, const struct report *rp, struct run *r)
{
	const struct sched_sum *s = &r->sched;
	const struct hist *h = &s->all.delay;

	doc_heading(d, 2, "Scheduling");
	if (!s->all.resumes && !s->all.time[RUNNING]) {
		doc_para(d, "No coroutine ran, as far as the trace shows.");
		return;
	}
	doc_para(d,
		format("%" PRIu64 " resumes, %" PRIu64
		       " on another thread than before; ran %s, suspended %s, runnable %s. "
		       "%s",
			s->all.resumes, s->migrated, duration_of(s->all.time[RUNNING]),
			duration_of(s->all.time[SUSPENDED]), duration_of(s->all.time[RUNNABLE]),
			!h->count ?
				"No wakes are reported, so the delay from wake to resume is not known." :
				format("From runnable to running, %" PRIu64
				       " times: p50 %s, p99 %s, max %s.",
					h->count, quantile(h, 0.5), quantile(h, 0.99),
					quantile(h, 1))));
	if (s->spans.unknown)
		doc_para(d,
			format("%" PRIu64 " stretch%s with lines missing in %s left out.",
				s->spans.unknown, s->spans.unknown == 1 ? "" : "es",
				s->spans.unknown == 1 ? "it is" : "them are"));
	sched_sites_table(d, rp, r);
	if (s->threads.count)
		sched_threads_table(d, rp, r);
}
