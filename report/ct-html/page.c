/* page.c - choose what of a run goes into the page, number it, and write it. Contracts in
 * html.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"

/* Findings come in the order of their groups. Each coroutine of one knows its group. */
static void find_groups(struct page *g)
{
	g->group = need(calloc(g->findings + 1, sizeof(*g->group)));
	for (size_t i = 0; i < g->findings; i++) {
		const struct ctt_finding *f = &g->finding[i];
		struct rec *rec;

		if (!i || !ctt_finding_same_group(f, &f[-1]))
			g->group[g->groups++].first = f;
		g->group[g->groups - 1].count++;
		rec = hash_find(&g->run->recs, f->coro->id);
		if (rec)	/* else it was destroyed */
			rec->finding = (uint32_t)g->groups;
		for (uint32_t k = 0; k < f->cycle_count; k++) {
			struct rec *x = hash_find(&g->run->recs, f->cycle[k]);

			if (x && !x->finding)
				x->finding = (uint32_t)g->groups;
		}
	}
}

/* All that the page's text refers to gets its number before sites are printed. */
static void find_sites(struct page *g)
{
	struct run *r = g->run;
	struct rec *x;

	for (size_t i = 0; i < g->findings; i++) {
		run_site(r, g->finding[i].cause.site);
		for (uint32_t k = 0; k < g->finding[i].fact_count; k++)
			run_site(r, g->finding[i].facts[k].site);
	}
	for (size_t i = 0; r->object && i < OBJECTS; i++) {
		run_site(r, r->object[i].held.site);
		run_site(r, r->object[i].last.site);
		run_site(r, r->object[i].closed.site);
	}
	for (size_t i = 0; (x = hash_each(&r->recs, &i));)
		for (size_t k = 0; k < page_legs(x); k++)
			run_site(r, x->coro->legs->leg[k].site);
	for (uint32_t i = 0; i < r->sites.count; i++)
		for (int k = 0; k < WAKERS; k++)
			run_site(r, run_site_at(r, i)->waker[k].site);
}

/* Accused, alive, the rest. */
static int by_weight(const void *a, const void *b)
{
	const struct rec *x = *(struct rec *const *)a, *y = *(struct rec *const *)b;
	int order = !x->finding - !y->finding;

	if (!order)
		order = !x->lives - !y->lives;
	return order ? order : (x->id > y->id) - (x->id < y->id);
}

static int by_id(const void *a, const void *b)
{
	const struct rec *x = *(struct rec *const *)a, *y = *(struct rec *const *)b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->first_ts > y->first_ts) - (x->first_ts < y->first_ts);
}

/* The living, and those that ended and that the tail is about. Too many: the least interesting stay
 * outside. */
static void find_recs(struct page *g)
{
	static struct rec none;
	struct run *r = g->run;
	struct rec *x;
	size_t n = 0;

	g->rec = need(malloc((r->recs.used + r->tail_used + 1) * sizeof(*g->rec)));
	for (size_t i = 0; (x = hash_each(&r->recs, &i));) {
		g->rec[++n] = x;
		run_site_at(r, x->now.site)->now++;
	}
	for (size_t i = 0; i < r->tail_used; i++) {
		x = r->tail[i].rec;
		if (x && !x->lives && !x->index) {
			x->index = 1;
			g->rec[++n] = x;
		}
	}
	for (size_t i = 1; i <= n; i++)
		g->rec[i]->index = 0;
	if (n > RECS_SHOWN) {
		qsort(g->rec + 1, n, sizeof(*g->rec), by_weight);
		g->hidden = n - RECS_SHOWN;
		n = RECS_SHOWN;
	}
	qsort(g->rec + 1, n, sizeof(*g->rec), by_id);
	g->rec[0] = &none;
	none = (struct rec){ .created = INT64_MIN, .ended = INT64_MIN };
	for (size_t i = 1; i <= n; i++)
		g->rec[i]->index = (uint32_t)i;
	g->recs = n + 1;
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = *(const struct item *const *)a, *y = *(const struct item *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Those of each coroutine in the order of time: most are so already. */
static void sort_items(struct page *g, const size_t *first)
{
	for (size_t i = 0; i < g->recs; i++) {
		const struct item **it = g->item + first[i];
		size_t n = first[i + 1] - first[i], k = 1;

		while (k < n && by_time(&it[k - 1], &it[k]) <= 0)
			k++;
		if (k < n)
			qsort(it, n, sizeof(*it), by_time);
	}
}

/* Of the tail, of the histories of those that live, and what they are at. */
static const struct item *next_item(const struct page *g, size_t *tail, size_t *rec, uint32_t *k)
{
	if (*tail < g->run->tail_used)
		return &g->run->tail[(*tail)++];
	for (; *rec < g->recs; (*rec)++, *k = 0) {
		const struct rec *x = g->rec[*rec];

		if (*k < x->held)
			return &x->history[(*k)++];
		if (*k == x->held && x->lives) {
			(*k)++;
			return &x->now;
		}
	}
	return NULL;
}

/* Into as many boxes as there are coroutines, whose places the first pass counts. */
static void find_items(struct page *g)
{
	size_t *first = need(calloc(g->recs + 2, sizeof(*first)));
	const struct item *it;
	uint32_t k = 0;

	for (size_t tail = 0, rec = 1; (it = next_item(g, &tail, &rec, &k)); g->items++)
		first[item_index(it) + 2]++;
	for (size_t i = 2; i <= g->recs + 1; i++)
		first[i] += first[i - 1];
	g->item = need(malloc((g->items + 1) * sizeof(*g->item)));
	k = 0;
	for (size_t tail = 0, rec = 1; (it = next_item(g, &tail, &rec, &k));)
		g->item[first[item_index(it) + 1]++] = it;
	sort_items(g, first);
	free(first);
}

void page_attribute(FILE *out, const char *s)
{
	for (; *s; s++)
		if (strchr("&<>\"", *s) || (unsigned char)*s < 32)
			fprintf(out, "&#%d;", *s);
		else
			putc(*s, out);
}

static void open_data(FILE *out, const struct page *g)
{
	size_t sum[CTT_CERTAINTIES] = { 0 };

	for (size_t i = 0; i < g->findings; i++)
		sum[g->finding[i].certainty]++;
	fprintf(out,
		"<script type=\"application/x-corotrace\" class=\"run\" data-run=\"%" PRIu32
		"\" data-proven=\"%zu\" "
		"data-suspected=\"%zu\" data-unknown=\"%zu\" data-doubt=\"%d\" data-source=\"",
		g->number, sum[CTT_PROVEN], sum[CTT_SUSPECTED], sum[CTT_UNKNOWN], g->doubt != NULL);
	page_attribute(out, g->run->source);
	fputs("\">", out);
}

void page_write(struct page *g, FILE *out, uint64_t grace)
{
	struct pack *p = pack_new();
	char *json = NULL;
	size_t len;
	FILE *mem;

	g->finding = ctt_judge_findings(g->run->judge, g->facts, grace, &g->findings);
	g->doubt = ctt_judge_doubt(g->run->judge, g->facts);
	g->end = run_time(g->run, ctt_model_last_ts(g->run->spans.model));
	find_groups(g);
	find_sites(g);
	find_recs(g);
	find_items(g);
	page_columns(g, p);
	mem = need(open_memstream(&json, &len));
	page_json(g, p, mem);
	if (fclose(mem) || !json)
		need(NULL);
	open_data(out, g);
	pack_write(p, out, json, len);
	fputs("</script>\n", out);
	free(json);
	free(g->group);
	free(g->rec);
	free(g->item);
}
