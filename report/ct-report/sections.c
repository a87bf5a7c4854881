/* sections.c - the report for people, as Markdown or plain text. Contracts in report.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sections.h"

/* ---- overview ---- */

static void row(struct cells *t, const char *key, const char *value)
{
	cell(t, key);
	cell(t, value);
}

static const char *end_text(const struct run *r)
{
	return r->processes == 1 ?
		exit_text(r->exits) :
		format("%zu processes; the first with %s", r->processes, exit_text(r->exits));
}

static void overview(const struct doc *d, struct run *r)
{
	struct cells t = { { NULL }, 0 };
	size_t threads = 0, workers = 0;
	struct ctt_worker *w;

	for (size_t i = 0; (w = ctt_model_next_worker(r->model, &i)); threads++)
		workers += w->role && !strcmp(w->role, "worker");
	doc_strong(d, sentence(summary_of(r)));
	row(&t, "", "");
	row(&t, "Trace", doc_code(d, r->source));
	if (r->command || r->path)
		row(&t, "Program", doc_code(d, r->command ? words_of(r->command) : r->path));
	if (r->host)
		row(&t, "Host", doc_code(d, words_of(r->host)));
	if (r->wall)
		row(&t, "Began", format("%s UTC", utc_of(r->wall)));
	row(&t, "Traced",
		format("%s, %" PRIu64 " lines, %" PRIu64 " events of coroutines",
			duration_of(ctt_model_last_ts(r->model) - ctt_model_first_ts(r->model)),
			r->facts->lines, r->events));
	row(&t, "Coroutines",
		format("%" PRIu64 " created, %" PRIu64 " ended, %zu live at the end", r->created,
			r->ended, ctt_judge_live(r->judge)));
	row(&t, "Threads", format("%zu, of which %zu worker%s", threads, workers, plural(workers)));
	if (r->exit_count)
		row(&t, "Ended", end_text(r));
	doc_table(d, t.cell, 2, t.count / 2);
}

/* ---- pending ---- */

static const char *examples(
	const struct doc *d, const struct report *rp, const struct pending *p, size_t n)
{
	size_t shown = few(rp, n);
	const char *s = "";

	shown = !rp->all && shown > 3 ? 3 : shown;
	for (size_t i = 0; i < shown; i++)
		s = format("%s%s%s", s, i ? ", " : "", doc_code(d, coro_of(p[i].c)));
	return s;
}

static void pending(const struct doc *d, const struct report *rp, const struct run *r)
{
	static const char *const heads[] = { "coroutines>", "state", "where", "on", "oldest>",
		"which" };
	struct cells t = { { NULL }, 0 };
	size_t left = 0;

	doc_heading(d, 2, "Pending coroutines");
	for (size_t i = 0; i < 6; i++)
		cell(&t, heads[i]);
	for (size_t i = 0, n; i < r->pending_count; i += n) {
		const struct pending *p = &r->pending[i];

		n = pending_group(r, i);
		if (t.count + 6 > CELLS) {
			left += n;
			continue;
		}
		number(&t, n);
		cell(&t,
			p->c->state == CTT_CORO_CREATED ? "never run" :
							  ctt_coro_state_name(p->c->state));
		cell(&t, p->c->site ? doc_code(d, site_text(r, p->c->site)) : "");
		cell(&t, ctt_waits(p->c) ? ctt_wait_name(p->c) : "");
		cell(&t, duration_of(p->age));
		cell(&t, examples(d, rp, p, n));
	}
	doc_para(d,
		r->pending_count ?
			"What has not ended, by state and site, as ct-stuck lists it. It accuses nobody." :
			"None.");
	if (r->pending_count)
		doc_table(d, t.cell, 6, t.count / 6);
	if (left)
		doc_para(d, format("... and %zu at further sites (ct-stuck).", left));
}

static void health(const struct doc *d, const struct report *rp, const struct run *r)
{
	char *what[HEALTH_MAX];
	size_t n = health_of(rp, r, what);

	doc_heading(d, 2, "Trace health");
	if (!n)
		doc_para(d, "Whole: nothing was lost, cut or bad.");
	for (size_t i = 0; i < n; i++)
		doc_item(d, sentence(what[i]));
	if (n)
		doc_end_items(d);
}

static void write_run(struct doc *d, const struct report *rp, struct run *r)
{
	if (r->number) {
		doc_heading(d, 2, format("Run %" PRIu32 " of %" PRIu32, r->number, rp->runs));
		d->level = 1;
	}
	overview(d, r);
	findings_section(d, rp, r);
	pending(d, rp, r);
	suspects_section(d, r);
	sched_section(d, rp, r);
	health(d, rp, r);
	d->level = 0;
}

/* Longer than MOST bytes GitHub shows no summary of a job: what would go beyond is left out, and
 * said to be. */
static void write_report(struct doc *d, const struct report *rp, size_t most)
{
	size_t sum = 0, left = 0, len;

	doc_heading(d, 1, "corotrace report");
	for (uint32_t i = 0; i < rp->runs; i++) {
		char *text = NULL;

		d->f = need(open_memstream(&text, &len));
		write_run(d, rp, rp->run[i]);
		if (fclose(d->f) || !text)
			need(NULL);
		d->f = stdout;
		sum += len;
		if (sum > most && i)
			left++;
		else
			fwrite(text, 1, len, stdout);
		free(text);
	}
	if (left)
		doc_para(d,
			format("%zu further run%s left out, so that the report can be shown (--all).",
				left, left == 1 ? " is" : "s are"));
}

void write_markdown(const struct report *rp)
{
	struct doc d = { stdout, true, false, 0 };

	write_report(&d, rp, rp->all ? SIZE_MAX : MARKDOWN_MOST);
}

void write_text(const struct report *rp)
{
	struct doc d = { stdout, false, rp->opt->color, 0 };

	write_report(&d, rp, SIZE_MAX);
}
