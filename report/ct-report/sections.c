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

/* ---- findings ---- */

static void stories(
	const struct doc *d, const struct report *rp, const struct run *r, size_t first, size_t n)
{
	size_t shown = few(rp, n);
	char **lines = need(malloc(shown * sizeof(*lines)));

	for (size_t i = 0; i < shown; i++)
		lines[i] = story_of(r, r->findings[first + i]);
	doc_block(d, lines, shown);
	free(lines);
	if (shown < n)
		doc_para(d, format("... and %zu more (--all).", n - shown));
}

static void look_at(const struct doc *d, const struct run *r, size_t first, size_t n)
{
	struct place places[PLACES];
	size_t count = group_places(r, first, n, places);

	if (!count)
		return;
	doc_para(d, "Look at:");
	for (size_t i = 0; i < count; i++)
		doc_item(d,
			format("%s: %s%s", doc_code(d, place_of(r, places[i].site)), places[i].what,
				places[i].count > 1 ?
					format(", %" PRIu64 " times", places[i].count) :
					""));
	doc_end_items(d);
}

static void evidence(
	const struct doc *d, const struct run *r, const struct ctt_finding *f, size_t n)
{
	static const char *const heads[] = { "line>", "at", "thread>", "coroutine>", "what",
		"where" };
	struct cells t = { { NULL }, 0 };

	if (!f->fact_count)
		return;
	for (size_t i = 0; i < 6; i++)
		cell(&t, heads[i]);
	for (uint32_t i = 0; i < f->fact_count; i++) {
		const struct ctt_fact *x = &f->facts[i];

		number(&t, x->line);
		cell(&t, since_start(r, x->ts));
		cell(&t, x->tid ? format("%" PRIu64, x->tid) : "");
		cell(&t, x->by ? format("%" PRIu64, x->by) : "");
		cell(&t, x->what);
		cell(&t, x->site ? doc_code(d, place_of(r, x->site)) : "");
	}
	doc_para(d,
		n > 1 ? "Evidence of the first, by lines of the trace:" :
			"Evidence, by lines of the trace:");
	doc_table(d, t.cell, 6, t.count / 6);
}

enum { FRAMES_SHOWN = 32 };
struct frames_of { char *line[FRAMES_SHOWN]; size_t count; };

static void add_frame(void *arg, const struct ctt_site *at, uint64_t addr)
{
	struct frames_of *f = arg;
	char text[1024];

	if (f->count < FRAMES_SHOWN)
		f->line[f->count++] = at ? format("%s", ctt_site_text(text, sizeof(text), at)) :
					   format("0x%016" PRIx64, addr);
}

/* How the first came to wait there, where the trace has call stacks. */
static void call_stack(const struct doc *d, const struct run *r, const struct ctt_coro *c, size_t n)
{
	const struct ctt_stack *s = c->has_stack && c->state != CTT_CORO_RUNNING ?
		ctt_model_stack(r->model, c->stack) :
		NULL;
	struct frames_of f = { .count = 0 };

	if (!s)
		return;
	ctt_model_frames(r->model, s, CTT_FRAMES_OWN, add_frame, &f);
	doc_para(d,
		n > 1 ? "Call stack of the first, innermost first:" :
			"Call stack, innermost first:");
	doc_block(d, f.line, f.count);
}

static void findings(const struct doc *d, const struct report *rp, const struct run *r)
{
	doc_heading(d, 2, "Findings");
	if (!r->finding_count)
		doc_para(d,
			r->doubt ? format("None, but that is inconclusive: %s.", r->doubt) :
				   "None.");
	for (size_t i = 0, n; i < r->finding_count; i += n) {
		const struct ctt_finding *f = r->findings[i];

		n = finding_group(r, i);
		doc_heading(d, 3,
			format("%zu %s%s: %s (%s)%s%s", n, f->cycle ? "cycle" : "coroutine",
				plural(n), ctt_verdict_name(f->verdict),
				ctt_certainty_name(f->certainty), f->coro->site ? ": " : "",
				f->coro->site ? doc_code(d, place_of(r, f->coro->site)) : ""));
		doc_para(d, sentence(f->because));
		stories(d, rp, r, i, n);
		look_at(d, r, i, n);
		evidence(d, r, f, n);
		call_stack(d, r, f->coro, n);
	}
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
		cell(&t, p->c->site ? doc_code(d, place_of(r, p->c->site)) : "");
		cell(&t, p->c->state == CTT_CORO_RUNNING ? "" : ctt_on_name(p->c->on.kind));
		cell(&t, duration_of(p->age));
		cell(&t, examples(d, rp, p, n));
	}
	doc_para(d,
		r->pending_count ?
			"What has not ended, by state and place, as ct-stuck lists it. It accuses nobody." :
			"None.");
	if (r->pending_count)
		doc_table(d, t.cell, 6, t.count / 6);
	if (left)
		doc_para(d, format("... and %zu at further places (ct-stuck).", left));
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
	findings(d, rp, r);
	pending(d, rp, r);
	suspects_section(d, r);
	sched_section(d, rp, r);
	health(d, rp, r);
	d->level = 0;
}

static void write_report(struct doc *d, const struct report *rp)
{
	doc_heading(d, 1, "corotrace report");
	for (uint32_t i = 0; i < rp->runs; i++)
		write_run(d, rp, rp->run[i]);
}

void write_markdown(const struct report *rp)
{
	struct doc d = { stdout, true, false, 0 };

	write_report(&d, rp);
}

void write_text(const struct report *rp)
{
	struct doc d = { stdout, false, rp->opt->color, 0 };

	write_report(&d, rp);
}
