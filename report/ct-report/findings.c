/* findings.c - the section about the findings: few in groups, many by cause. Contracts in
 * sections.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sections.h"


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
	struct location locations[LOCATIONS];
	size_t count = group_locations(r, first, n, locations);

	if (!count)
		return;
	doc_para(d, "Look at:");
	for (size_t i = 0; i < count; i++)
		doc_item(d,
			format("%s: %s%s", doc_code(d, site_text(r, locations[i].site)), locations[i].what,
				locations[i].count > 1 ?
					format(", %" PRIu64 " times", locations[i].count) :
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
		cell(&t, x->site ? doc_code(d, site_text(r, x->site)) : "");
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
	ctt_model_frames(r->model, s, CTT_FRAMES_OWN | CTT_FRAMES_SHORT, add_frame, &f);
	doc_para(d,
		n > 1 ? "Call stack of the first, innermost first:" :
			"Call stack, innermost first:");
	doc_block(d, f.line, f.count);
}

static void what_to_do(const struct doc *d, const struct ctt_finding *f)
{
	doc_para(d, sentence(f->because));
	doc_para(d, format("What to do: %s.", ctt_finding_help(f)));
}

static void group(const struct doc *d, const struct report *rp, const struct run *r, size_t i,
	size_t n)
{
	const struct ctt_finding *f = r->findings[i];

	doc_heading(d, 3,
		format("%s%s%s", group_kind(f, n), f->coro->site ? ": " : "",
			f->coro->site ? doc_code(d, site_text(r, f->coro->site)) : ""));
	what_to_do(d, f);
	stories(d, rp, r, i, n);
	look_at(d, r, i, n);
	evidence(d, r, f, n);
	call_stack(d, r, f->coro, n);
}

/* Where the findings of a cause are, those with most first. */
static void points(const struct doc *d, const struct run *r, const struct ctt_cause *c)
{
	static const char *const heads[] = { "coroutines>", "where", "such as" };
	size_t shown = c->groups < GROUPS ? c->groups : GROUPS, left = c->count;
	struct cells t = { { NULL }, 0 };

	for (size_t i = 0; i < 3; i++)
		cell(&t, heads[i]);
	for (size_t i = 0; i < shown; left -= c->group[i++].count) {
		const struct ctt_coro *co = c->group[i].finding[0]->coro;

		number(&t, c->group[i].count);
		cell(&t, co->site ? doc_code(d, site_text(r, co->site)) : "");
		cell(&t, doc_code(d, coro_of(co)));
	}
	doc_table(d, t.cell, 3, t.count / 3);
	if (shown < c->groups)
		doc_para(d,
			format("... and %zu more at %zu further sites (--all).", left,
				c->groups - shown));
}

static void cause(const struct doc *d, const struct report *rp, const struct run *r,
	const struct ctt_cause *c)
{
	size_t i = (size_t)(c->group->finding - (const struct ctt_finding *const *)r->findings);
	const struct ctt_finding *f = r->findings[i];

	if (c->groups == 1) {
		group(d, rp, r, i, c->count);
		return;
	}
	doc_heading(d, 3,
		format("%s, at %zu sites%s%s", group_kind(f, c->count), c->groups,
			f->cause.ts && f->cause.site ? "; cause: " : "",
			f->cause.ts && f->cause.site ? doc_code(d, site_text(r, f->cause.site)) : ""));
	what_to_do(d, f);
	points(d, r, c);
	evidence(d, r, f, c->count);
	call_stack(d, r, f->coro, c->count);
}

static void causes(const struct doc *d, const struct report *rp, const struct run *r,
	const struct ctt_causes *c)
{
	size_t shown = c->count < GROUPS ? c->count : GROUPS, left = r->finding_count;

	doc_para(d,
		format("%zu findings at %zu suspension points have %zu cause%s.",
			r->finding_count, c->sites, c->count, plural(c->count)));
	for (size_t i = 0; i < shown; left -= c->cause[i++].count)
		cause(d, rp, r, &c->cause[i]);
	if (left)
		doc_para(d,
			format("... and %zu more of %zu further causes (--all).", left,
				c->count - shown));
}

void findings_section(const struct doc *d, const struct report *rp, const struct run *r)
{
	struct ctt_causes c;

	doc_heading(d, 2, "Findings");
	if (!r->finding_count)
		doc_para(d,
			r->doubt ? format("None, but that is inconclusive: %s.", r->doubt) :
				   "None.");
	ctt_causes_find(&c, (const struct ctt_finding *const *)r->findings, r->finding_count);
	if (c.groups > GROUPS && !rp->all)
		causes(d, rp, r, &c);
	else
		for (size_t i = 0, n; i < r->finding_count; i += n)
			group(d, rp, r, i, n = finding_group(r, i));
	ctt_causes_free(&c);
}
