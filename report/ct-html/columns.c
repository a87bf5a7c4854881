/* columns.c - a run's coroutines, items and lanes as columns, which share/html/data.js reads.
 * html.h */
#include <math.h>
#include <stdlib.h>

#include "html.h"

/* ---- coroutines ---- */

static uint64_t id_step(const struct rec *x, const struct rec *prev)
{
	return x->id - (prev ? prev->id : 0);
}
static uint64_t parent(const struct rec *x, const struct rec *p) { (void)p; return x->parent; }
static uint64_t spawn(const struct rec *x, const struct rec *p) { (void)p; return x->spawn; }
static uint64_t runs(const struct rec *x, const struct rec *p) { (void)p; return x->runs; }
static uint64_t wakes(const struct rec *x, const struct rec *p) { (void)p; return x->wakes; }
static uint64_t older(const struct rec *x, const struct rec *p) { (void)p; return x->older; }
static uint64_t group(const struct rec *x, const struct rec *p) { (void)p; return x->finding; }
static uint64_t in0(const struct rec *x, const struct rec *p) { (void)p; return x->in[0]; }
static uint64_t in1(const struct rec *x, const struct rec *p) { (void)p; return x->in[1]; }
static uint64_t in2(const struct rec *x, const struct rec *p) { (void)p; return x->in[2]; }
static uint64_t in3(const struct rec *x, const struct rec *p) { (void)p; return x->in[3]; }
static uint64_t in4(const struct rec *x, const struct rec *p) { (void)p; return x->in[4]; }

static void rec_numbers(struct page *g, struct pack *p)
{
	static const struct {
		const char *name;
		uint64_t (*get)(const struct rec *, const struct rec *);
	} columns[] = {
		{ "id", id_step },
		{ "parent", parent },
		{ "spawn", spawn },
		{ "runs", runs },
		{ "wakes", wakes },
		{ "older", older },
		{ "group", group },
		{ "in0", in0 },
		{ "in1", in1 },
		{ "in2", in2 },
		{ "in3", in3 },
		{ "in4", in4 },
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		pack_column(p, columns[i].name, "var");
		for (size_t k = 0; k < g->recs; k++)
			pack_number(p, columns[i].get(g->rec[k], k ? g->rec[k - 1] : NULL));
	}
}

enum { LIVES = 1, CREATED = 2, ENDED = 4, DONE_KNOWN = 8, DONE = 16, VERSION_1 = 32, SYSTEM = 64,
	GONE = 128 };

static bool is_system(const struct rec *x)
{
	return x->system || (x->coro && x->coro->system);
}

static void rec_columns(struct page *g, struct pack *p)
{
	rec_numbers(g, p);
	pack_column(p, "flags", "u8");
	for (size_t i = 0; i < g->recs; i++) {
		const struct rec *x = g->rec[i];

		pack_byte(p,
			(uint8_t)((x->lives ? LIVES : 0) | (x->created != INT64_MIN ? CREATED : 0) |
				(x->ended != INT64_MIN ? ENDED : 0) |
				(x->done_known ? DONE_KNOWN : 0) | (x->done ? DONE : 0) |
				(x->v1 ? VERSION_1 : 0) | (is_system(x) ? SYSTEM : 0) |
				(x->gone ? GONE : 0)));
	}
	pack_column(p, "created", "signed");
	for (size_t i = 0; i < g->recs; i++)
		pack_signed(p, g->rec[i]->created == INT64_MIN ? 0 : g->rec[i]->created);
	pack_column(p, "ended", "signed");
	for (size_t i = 0; i < g->recs; i++) {	/* from where it was created */
		const struct rec *x = g->rec[i];

		pack_signed(p,
			x->ended == INT64_MIN ?
				0 :
				x->ended - (x->created == INT64_MIN ? 0 : x->created));
	}
	pack_column(p, "name", "text");
	for (size_t i = 0; i < g->recs; i++)
		pack_text(p, g->rec[i]->name ? g->rec[i]->name : "");
}

/* ---- items ---- */

enum { GAP, SPAN, KIND, ON_KIND, ON, SITE, TID, BY, LINE, ITEM_COLUMNS };

/* All columns at once, each into a pack of its own: items are many, and far apart in memory. */
static void item_values(struct pack *to, const struct item *it, const struct item *prev)
{
	pack_signed(&to[GAP], it->start - (prev ? prev->end : 0));	/* from where it ended */
	pack_number(&to[SPAN], (uint64_t)(it->end - it->start));
	pack_byte(&to[KIND],
		(uint8_t)(it->kind | (it->rec && it == &it->rec->now ? 16 : 0) |
			(it->on.known ? 32 : 0) | (it->on.number ? 64 : 0) | (it->torn ? 128 : 0)));
	pack_byte(&to[ON_KIND], it->on.kind);
	pack_number(&to[ON], it->on.value);
	pack_number(&to[SITE], it->site);
	pack_number(&to[TID], it->tid);
	pack_number(&to[BY], it->by);
	pack_signed(&to[LINE], (int64_t)it->line - (prev ? (int64_t)prev->line : 0));
}

static void item_columns(struct page *g, struct pack *p)
{
	static const char *const columns[ITEM_COLUMNS][2] = { [GAP] = { "gap", "signed" },
		[SPAN] = { "span", "var" },
		[KIND] = { "kind", "u8" },
		[ON_KIND] = { "on_kind", "u8" },
		[ON] = { "on", "var" },
		[SITE] = { "site", "var" },
		[TID] = { "tid", "var" },
		[BY] = { "by", "var" },
		[LINE] = { "line", "signed" } };
	struct pack to[ITEM_COLUMNS] = { 0 };
	const struct item **it = g->item;

	/* How many each coroutine has. */
	pack_column(p, "items", "var");
	for (size_t i = 0, k = 0, n; i < g->recs; i++) {
		for (n = 0; k < g->items && item_index(it[k]) == i; k++, n++)
			item_values(to, it[k], n ? it[k - 1] : NULL);
		pack_number(p, n);
	}
	for (size_t i = 0; i < ITEM_COLUMNS; i++) {
		pack_column(p, columns[i][0], columns[i][1]);
		buf_add(&p->b, to[i].b.p, to[i].b.len);
		free(to[i].b.p);
	}
}

/* ---- lanes ---- */

static void level_column(struct pack *p, const struct lane *l, uint32_t channel, int64_t end)
{
	uint32_t n = lane_used(l, end);
	float *v = need(malloc(n * sizeof(*v)));

	lane_levels(l, channel, end, n, v);
	for (uint32_t i = 0; i < n; i++)
		pack_float(p, v[i]);
	free(v);
}

static void share_column(struct pack *p, const struct lane *l, uint32_t channel, int64_t end)
{
	uint32_t n = lane_used(l, end);
	float *v = need(malloc(n * sizeof(*v)));

	lane_levels(l, channel, end, n, v);
	for (uint32_t i = 0; i < n; i++)
		/* what is there is never nothing */
		pack_byte(p, (uint8_t)(v[i] >= 1 ? 255 : ceilf(v[i] * 255)));
	free(v);
}

static void count_column(struct pack *p, const struct lane *l, uint32_t channel, int64_t end)
{
	for (uint32_t i = 0; i < lane_used(l, end); i++)
		pack_number(p, (uint64_t)l->cell[(size_t)i * l->channels + channel].net);
}

/* In the order of json.c's lanes. */
static void worker_columns(struct page *g, struct pack *p)
{
	static const char *const names[] = { "w_running", "w_parked", "w_runs" };

	for (uint32_t c = W_RUNNING; c <= W_RUNS; c++) {
		pack_column(p, names[c], c == W_RUNS ? "var" : "u8");
		for (size_t i = 0; i < g->run->workers.count; i++) {
			const struct worker_lane *w = g->run->workers.item[i];

			if (w->lane.cell && c == W_RUNS)
				count_column(p, &w->lane, c, g->end);
			else if (w->lane.cell)
				share_column(p, &w->lane, c, g->end);
		}
	}
}

static void steps_column(struct page *g, struct pack *p, const char *name, size_t offset)
{
	pack_column(p, name, "var");
	for (uint32_t i = 0; i < g->run->sites.count; i++) {
		const struct spread *s =
			(const struct spread *)((const char *)run_site_at(g->run, i) + offset);

		for (unsigned k = 0; k < STEPS; k++)
			pack_number(p, s->step[k]);
	}
}

void page_columns(struct page *g, struct pack *p)
{
	static const char *const states[] = { "s_created", "s_running", "s_suspended",
		"s_runnable" };
	static const char *const counts[] = { "s_events", "s_wakes", "s_begun", "s_ended" };

	rec_columns(g, p);
	item_columns(g, p);
	for (uint32_t c = 0; c < 4; c++) {
		pack_column(p, states[c], "f32");
		level_column(p, &g->run->series, c, g->end);
	}
	for (uint32_t c = 0; c < 4; c++) {
		pack_column(p, counts[c], "var");
		count_column(p, &g->run->series, S_EVENTS + c, g->end);
	}
	worker_columns(g, p);
	pack_column(p, "p_level", "f32");
	for (uint32_t i = 0; i < g->run->sites.count; i++)
		if (run_site_at(g->run, i)->lane.cell)
			level_column(p, &run_site_at(g->run, i)->lane, 0, g->end);
	steps_column(g, p, "p_wait", offsetof(struct site, wait));
	steps_column(g, p, "p_delay", offsetof(struct site, delay));
	steps_column(g, p, "p_run", offsetof(struct site, run));
}
