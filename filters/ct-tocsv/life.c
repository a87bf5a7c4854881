/* life.c - a row a coroutine, a site, an interval of a coroutine's life. Contracts in csv.h. */
#include "csv.h"

static const char *const states[] = { [UNSTARTED] = "created",
	[RUNNING] = "running",
	[SUSPENDED] = "suspended",
	[RUNNABLE] = "runnable",
	[CSV_UNKNOWN] = "unknown" };

/* What follows takes `column` for its own table: where a table has several groups of columns, from
 * the group's first. */

static void site_cell(struct buf *b, const struct ctt_model *m, uint64_t site, size_t column)
{
	const struct ctt_site *s = ctt_model_site(m, site);

	switch (column) {
	case 0: csv_nonzero(b, site); break;
	case 1: csv_string(b, *s->func ? s->func : NULL); break;
	case 2: csv_string(b, *s->file ? s->file : NULL); break;
	case 3: csv_nonzero(b, s->line); break;
	}
}
#define SITE_COLUMNS "site", "func", "file", "src_line"

static void tally_cell(struct buf *b, const struct csv_tally *t, size_t column)
{
	buf_number(b, column == 0 ? t->count : column == 1 ? t->ns : t->max);
}
#define TALLY_COLUMNS(state) #state "_count", #state "_ns", #state "_max_ns"
#define TALLIES TALLY_COLUMNS(created), TALLY_COLUMNS(running), TALLY_COLUMNS(suspended), TALLY_COLUMNS(runnable), \
	TALLY_COLUMNS(unknown)

/* The model knows no difference between none and an empty one. */
static void reason_cell(struct buf *b, const struct ctt_coro *c)
{
	if (c && c->reason && *c->reason)
		csv_string(b, c->reason);
}

/* ---- intervals ---- */

static const char *const interval_columns[] = { "run", "probe_id", "name", "state", "from", "to",
	"ns", SITE_COLUMNS, "on", "reason", "by", "by_tid", "tid", "open", "line" };

static void interval_cell(struct buf *b, const struct csv_row *row, size_t column)
{
	const struct span *s = row->span;
	const struct ctt_coro *c = s->c;
	bool waits = row->known && s->what == SUSPENDED,
	     waited = waits || (row->known && s->what == RUNNABLE);

	switch (column) {
	case 0: csv_run_cell(b, row->run); break;
	case 1: buf_number(b, c->id); break;
	case 2: csv_string(b, c->name); break;
	case 3: csv_string(b, states[row->known ? s->what : CSV_UNKNOWN]); break;
	case 4: buf_number(b, s->from); break;
	case 5: buf_number(b, s->to); break;
	case 6: buf_number(b, s->to - s->from); break;
	case 7: case 8: case 9: case 10: site_cell(b, row->model, c->site, column - 7); break;
	case 11:
		if (waited)
			csv_wait(b, c);
		break;
	case 12: reason_cell(b, waited ? c : NULL); break;
	case 13: csv_nonzero(b, s->woken ? s->woken->by : 0); break;
	case 14: csv_nonzero(b, s->woken ? s->woken->tid : 0); break;
	case 15: csv_nonzero(b, c->tid); break;
	case 16: buf_number(b, !s->ev); break;
	case 17:
		if (s->ev)
			buf_number(b, s->ev->line);
		break;
	}
}

/* ---- coroutines ---- */

static const char *const coroutine_columns[] = { "run", "probe_id", "name", "parent", "state",
	"since", "created", "ended", "done", "first_ts", "last_ts", "last_line", "tid", "frame",
	SITE_COLUMNS, "spawn_site", "on", "reason", "n", "missing", "wake_ts", "wake_by",
	"wake_tid", "system", TALLIES };
enum { COROUTINE_SITE = 14, COROUTINE_TALLIES = 27 };

static void if_known(struct buf *b, bool is, uint64_t v)
{
	if (is)
		buf_number(b, v);
}

/* As ct-tosql's table of that name. Another's line may show that an address has a new owner: then
 * the old one ended some time before, and nobody said when. */
static void coroutine_cell(struct buf *b, const struct csv_row *row, size_t column)
{
	const struct ctt_coro *c = row->c;
	const struct ctt_event *end = row->ev && row->ev->kind == CTT_EV_DESTROY ? row->ev : NULL;
	const struct life *life = c->span;

	if (column >= COROUTINE_TALLIES && life) {
		column -= COROUTINE_TALLIES;
		tally_cell(b, &life->in[column / 3], column % 3);
		return;
	}
	if (column >= COROUTINE_SITE && column < COROUTINE_SITE + 4) {
		site_cell(b, row->model, c->site, column - COROUTINE_SITE);
		return;
	}
	switch (column) {
	case 0: csv_run_cell(b, row->run); break;
	case 1: buf_number(b, c->id); break;
	case 2: csv_string(b, c->name); break;
	case 3: csv_nonzero(b, c->parent); break;
	case 4: csv_string(b, ctt_coro_state_name(c->state)); break;
	case 5: if_known(b, end || !row->ev, end ? end->ts : c->since); break;
	case 6: csv_nonzero(b, c->created); break;
	case 7: if_known(b, end, end ? end->ts : 0); break;
	case 8: if_known(b, end && end->has & CTT_HAS_DONE, end && end->done); break;
	case 9: buf_number(b, c->first_ts); break;
	case 10: buf_number(b, end ? end->ts : c->last_ts); break;
	case 11: buf_number(b, end ? end->line : c->last_line); break;
	case 12: buf_number(b, end && end->tid ? end->tid : c->tid); break;
	case 13:
		if (c->frame)
			buf_hex(b, c->frame);
		break;
	case 18: csv_nonzero(b, c->spawn_site); break;
	case 19: csv_wait(b, c); break;
	case 20: reason_cell(b, c); break;
	case 21: if_known(b, end ? end->has & CTT_HAS_N : c->has_n, end ? end->n : c->order); break;
	case 22: buf_number(b, c->missing); break;
	case 23: csv_nonzero(b, c->wake_ts); break;
	case 24: csv_nonzero(b, c->wake_by); break;
	case 25: if_known(b, c->wake_ts, c->wake_tid); break;
	case 26: buf_number(b, c->system); break;
	}
}

/* ---- sites ---- */

static const char *const site_columns[] = { "run", SITE_COLUMNS, TALLIES };

static void sites_cell(struct buf *b, const struct csv_row *row, size_t column)
{
	if (!column)
		csv_run_cell(b, row->run);
	else if (column < 5)
		site_cell(b, row->model, row->site->key.a, column - 1);
	else
		tally_cell(b, &row->site->in[(column - 5) / 3], (column - 5) % 3);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
const struct csv_table csv_intervals = {
	"interval", "intervals", interval_columns, COUNT(interval_columns), true, interval_cell, NULL
};
const struct csv_table csv_coroutines = { "coroutine", "coroutines", coroutine_columns,
	COUNT(coroutine_columns), false, coroutine_cell, NULL };
const struct csv_table csv_sites = { "site", "sites", site_columns, COUNT(site_columns), false,
	sites_cell, NULL };
