/* verdicts.c - judge a run, while it lasts or at its end, and keep what is shown of it as text: the
 * findings themselves are valid only until the next event. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "top.h"

enum { STORIES = 50, HEAD_SITE = 40 };		/* reported of a group */

/* "suspended to the end": nothing to say of one that only has no more events so far. */
static bool wanted(const struct watch *w, const struct ctt_model *m, const struct verdicts *v,
	const struct ctt_finding *f)
{
	return (v->final || f->verdict != CTT_V_SILENT) && !ctt_common_hides_finding(w->opt, m, f);
}

static void accuse(struct verdicts *v, uint64_t id, const struct ctt_finding *f)
{
	*ADD(v->accused, v->count, v->size) = (struct accused){ id, f->verdict, f->certainty };
}

static void add_story(struct lines *l, struct ctt_judge *j, const struct ctt_finding *f)
{
	char *story = NULL;
	size_t len;
	FILE *mem = need(open_memstream(&story, &len));

	ctt_finding_story(mem, j, f);
	if (fclose(mem) || !story)
		need(NULL);
	lines_add(l, LOOK_PLAIN, "  %s", story);
	free(story);
}

/* The findings of one group from f on, `n` of them, `same` of which are wanted. */
static void add_group(struct watch *w, struct verdicts *v, struct ctt_judge *j,
	const struct ctt_finding *f, size_t n, size_t same)
{
	const char *what = f->cycle ? same == 1 ? "cycle" : "cycles" :
		same == 1           ? "coroutine" :
				      "coroutines";
	char site[200] = "";
	size_t shown = 0;

	for (int i = 0; i < 2; i++) {
		if (f->coro->site)	/* a heading stays a line */
			ctt_model_site_text(site, i ? sizeof(site) : HEAD_SITE,
				ctt_judge_model(j), f->coro->site);
		lines_add(i ? &v->stories : &v->heads, LOOK_PROVEN + f->certainty,
			"%zu %s: %s (%s%s)%s%s", same, what, ctt_verdict_name(f->verdict),
			ctt_certainty_name(f->certainty), v->final ? "" : " so far",
			*site ? ": " : "", site);
	}
	lines_add(&v->stories, LOOK_PLAIN, "  %s", f->because);
	lines_add(&v->stories, LOOK_PLAIN, "  to do: %s", ctt_finding_help(f));
	for (size_t i = 0; i < n && shown < STORIES; i++)
		if (wanted(w, ctt_judge_model(j), v, &f[i])) {
			add_story(&v->stories, j, &f[i]);
			shown++;
		}
	if (same > shown)
		lines_add(&v->stories, LOOK_DIM, "  ... and %zu more (ct-lostwake lists all)",
			same - shown);
}

/* Of the one whose story is shown. */
static void add_reason(struct verdicts *v, struct ctt_judge *j, const struct ctt_finding *f)
{
	bool its = f->coro->id == v->about;

	for (uint32_t k = 0; k < f->cycle_count; k++)
		its |= f->cycle[k] == v->about;
	if (!its || !v->about)
		return;
	lines_add(&v->why, LOOK_PROVEN + f->certainty, "%s (%s%s)", ctt_verdict_name(f->verdict),
		ctt_certainty_name(f->certainty), v->final ? "" : " so far");
	lines_add(&v->why, LOOK_PLAIN, "  %s", f->because);
	lines_add(&v->why, LOOK_PLAIN, "  to do: %s", ctt_finding_help(f));
	add_story(&v->why, j, f);
}

static int by_id(const void *a, const void *b)
{
	const struct accused *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void verdicts_take(struct watch *w, uint32_t run)
{
	struct ctt_judge *j = w->run[run]->judge;
	struct verdicts *v = &w->run[run]->verdicts;
	const struct ctt_finding *f;
	size_t n, same;

	v->as = *ctt_trace_run(w->in, run);
	v->lines = v->as.lines;
	v->final = run_over(w, run);
	/* What was not read yet is not known to be missing: so far, this is all there is. */
	v->as.ended |= !v->final;
	v->count = 0;
	memset(v->sum, 0, sizeof(v->sum));
	memset(v->hidden, 0, sizeof(v->hidden));
	lines_clear(&v->heads);
	lines_clear(&v->stories);
	lines_clear(&v->why);
	f = ctt_judge_findings(j, &v->as, w->opt->grace, &n);
	v->doubt = ctt_judge_doubt(j, &v->as);
	for (size_t i = 0, end; i < n; i = end) {
		for (same = 0, end = i; end < n && ctt_finding_same_group(&f[i], &f[end]); end++) {
			v->hidden[ctt_common_hides_finding(w->opt, ctt_judge_model(j), &f[end])]++;
			if (!wanted(w, ctt_judge_model(j), v, &f[end]))
				continue;
			same++;
			accuse(v, f[end].coro->id, &f[end]);
			add_reason(v, j, &f[end]);
			for (uint32_t k = 0; k < f[end].cycle_count; k++)
				if (f[end].cycle[k] != f[end].coro->id)
					accuse(v, f[end].cycle[k], &f[end]);
		}
		v->sum[f[i].certainty] += same;
		if (same)
			add_group(w, v, j, &f[i], end - i, same);
	}
	v->hidden[CTT_HIDES_GRACE] = ctt_judge_fresh(j);
	if (v->count)
		qsort(v->accused, v->count, sizeof(*v->accused), by_id);
}

const struct accused *verdicts_of(const struct run *r, uint64_t id)
{
	struct accused key = { .id = id };

	return r->verdicts.count ?
		bsearch(&key, r->verdicts.accused, r->verdicts.count, sizeof(key), by_id) :
		NULL;
}

int verdicts_status(const struct ctt_common *opt, const struct run *r)
{
	return ctt_common_status(opt, r->verdicts.sum, r->verdicts.doubt);
}

void verdicts_free(struct verdicts *v)
{
	lines_free(&v->heads);
	lines_free(&v->stories);
	lines_free(&v->why);
	free(v->accused);
}
