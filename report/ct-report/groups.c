/* groups.c - choose and sort: findings as ct-lostwake groups them, the pending as ct-stuck does.
 * Contracts in report.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report.h"

static void select_findings(struct run *r, const struct ctt_common *opt)
{
	size_t n;
	const struct ctt_finding *f = ctt_judge_findings(r->judge, r->facts, opt->grace, &n);

	r->findings = need(malloc((n + 1) * sizeof(*r->findings)));
	for (size_t i = 0; i < n; i++) {
		enum ctt_hider by = ctt_common_hides_finding(opt, r->model, &f[i]);

		r->hidden[by]++;
		if (!by) {
			r->findings[r->finding_count++] = &f[i];
			r->certain[f[i].certainty]++;
		}
	}
	r->hidden[CTT_HIDES_GRACE] = ctt_judge_fresh(r->judge);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int same_pending(const struct pending *a, const struct pending *b)
{
	int order = compare(b->c->state, a->c->state);

	order = order ? order : compare(a->c->site, b->c->site);
	return order ? order : compare(ctt_wait_kind(a->c), ctt_wait_kind(b->c));
}

static int by_group(const void *x, const void *y)
{
	const struct pending *a = x, *b = y;
	int order = same_pending(a, b);

	order = order ? order : compare(b->age, a->age);
	return order ? order : compare(a->c->id, b->c->id);
}

static void select_pending(struct run *r, const struct ctt_common *opt)
{
	uint64_t now = ctt_model_last_ts(r->model);
	struct ctt_coro *c;

	r->pending = need(malloc((ctt_model_live(r->model) + 1) * sizeof(*r->pending)));
	for (size_t i = 0; (c = ctt_model_next(r->model, &i));) {
		uint64_t age = now > c->since ? now - c->since : 0;

		if (!c->system && !ctt_common_hides(opt, r->model, c, age))
			r->pending[r->pending_count++] = (struct pending){ c, age };
	}
	qsort(r->pending, r->pending_count, sizeof(*r->pending), by_group);
}

void run_select(struct run *r, const struct ctt_common *opt)
{
	select_findings(r, opt);
	r->doubt = ctt_judge_doubt(r->judge, r->facts);
	select_pending(r, opt);
}

size_t finding_group(const struct run *r, size_t i)
{
	size_t n = 1;

	while (i + n < r->finding_count &&
		ctt_finding_same_group(r->findings[i], r->findings[i + n]))
		n++;
	return n;
}

size_t pending_group(const struct run *r, size_t i)
{
	size_t n = 1;

	while (i + n < r->pending_count && !same_pending(&r->pending[i], &r->pending[i + n]))
		n++;
	return n;
}

static size_t add_location(struct location *locations, size_t n, uint64_t site, const char *what)
{
	size_t i = 0;

	if (!site)
		return n;
	while (i < n && (locations[i].site != site || strcmp(locations[i].what, what)))
		i++;
	if (i == LOCATIONS)
		return n;
	if (i == n)
		locations[n++] = (struct location){ site, what, 0 };
	locations[i].count++;
	return n;
}

/* The cause first: it is where to look. */
size_t group_locations(
	const struct run *r, size_t first, size_t n, struct location locations[LOCATIONS])
{
	size_t count = 0;

	for (size_t i = first; i < first + n; i++) {
		const struct ctt_finding *f = r->findings[i];

		if (f->cause.line)
			count = add_location(locations, count, f->cause.site, f->cause.what);
		for (uint32_t k = 0; k < f->fact_count; k++)
			if (f->facts[k].line != f->cause.line)
				count = add_location(
					locations, count, f->facts[k].site, f->facts[k].what);
	}
	return count;
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	do
		h = (h ^ (unsigned char)*s) * 0x100000001b3ull;
	while (*s++);
	return h;
}

uint64_t group_fingerprint(const struct run *r, const struct ctt_finding *f)
{
	const struct ctt_site *at = ctt_model_site(r->model, f->coro->site),
			      *cause = ctt_model_site(r->model, f->cause.site);
	uint64_t h = hash_text(0xcbf29ce484222325ull, ctt_verdict_name(f->verdict));

	h = hash_text(hash_text(h, at->func), at->file);
	return hash_text(hash_text(hash_text(h, cause->func), cause->file), f->because);
}
