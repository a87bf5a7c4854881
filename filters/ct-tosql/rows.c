/* rows.c - the rows that a trace's lines make. Contracts in sql.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "value.h"
#include "sql.h"

/* What the model does not keep of a run. */
struct sql_run {
	char *tool;
	uint64_t events, exit_value;
	bool exited, signaled;
	uint64_t *sites;	/* numbers reported, perhaps more than once */
	size_t site_count, site_size;
};
static void event_row(struct sql_rows *rows, const struct ctt_event *ev)
{
	bool coro = ev->kind >= CTT_EV_CREATE && ev->kind <= CTT_EV_STATE,
	     has_value = ev->has & CTT_HAS_VALUE;
	struct sql_value v[] = { run_number(rows->sink, ev->run), number(ev->line), number(ev->ts),
		string(ctt_ev_name(ev->kind)), nonzero(ev->probe_id),
		number_if(ev->has & CTT_HAS_TID || coro, ev->tid),
		coro ? address(ADDRESS_ROOM, ev->addr) : null(), number_if(coro, ev->seq),
		number_if(coro, ev->is_active), number_if(ev->has & CTT_HAS_N, ev->n),
		nonzero(ev->site), number_if(ev->has & CTT_HAS_PARENT, ev->parent), nonzero(ev->by),
		object(OBJECT_ROOM, &ev->on), number_if(ev->has & CTT_HAS_DONE, ev->done),
		number_if(has_value, ctt_ev_value(ev)), text(ev->name),
		ev->kind == CTT_EV_WAKER ? string(ev->waker.clone ? "clone" : "drop") : null(),
		number_if(ev->has & CTT_HAS_STACK, ev->stack), text(ev->reason),
		nonzero(ev->any_of), nonzero(ev->all_of) };

	rows->sink->row(rows->sink, SQL_EVENTS, v);
	rows->run[ev->run].events++;
}

/* ended: by this line; NULL for one that lives on. Another's line may show that an address has a
 * new owner: then the old one ended some time before, and nobody said when. */
static void coroutine_row(struct sql_rows *rows, uint32_t run, const struct ctt_coro *c,
	const struct ctt_event *ended)
{
	bool destroyed = ended && ended->kind == CTT_EV_DESTROY;
	struct sql_value v[] = { run_number(rows->sink, run), number(c->id), string(c->name),
		nonzero(c->parent), string(ctt_coro_state_name(c->state)),
		ended ? number_if(destroyed, ended->ts) : number(c->since), nonzero(c->created),
		number_if(destroyed, destroyed ? ended->ts : 0),
		number_if(destroyed && ended->has & CTT_HAS_DONE, destroyed && ended->done),
		number(c->first_ts), number(destroyed ? ended->ts : c->last_ts),
		number(destroyed ? ended->line : c->last_line),
		number(destroyed && ended->tid ? ended->tid : c->tid),
		c->frame ? address(ADDRESS_ROOM, c->frame) : null(), nonzero(c->site),
		nonzero(c->spawn_site), waits_on(WAIT_ROOM, c), string(c->reason),
		destroyed ? number_if(ended->has & CTT_HAS_N, ended->n) :
			    number_if(c->has_n, c->order),
		number(c->missing), nonzero(c->wake_ts), nonzero(c->wake_by),
		number_if(c->wake_ts, c->wake_tid), number(c->system) };

	rows->sink->row(rows->sink, SQL_COROUTINES, v);
}

static void on_end(void *rows, struct ctt_coro *c, const struct ctt_event *ev)
{
	coroutine_row(rows, ev->run, c, ev);
}

/* Reported again, by another process, the last one counts: so they are rows at the end. */
static void note_site(struct sql_run *r, uint64_t site)
{
	*ADD(r->sites, r->site_count, r->site_size) = site;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* "serve serve.cc:42", as ctt_model_site_name has it, but whole and raw. */
static char *where(const struct ctt_site *s)
{
	char *p = NULL;
	size_t len;
	FILE *f = need(open_memstream(&p, &len));

	fprintf(f, "%s%s%s", s->func, *s->func && *s->file ? " " : "", s->file);
	if (*s->file && s->line)
		fprintf(f, ":%" PRIu64, s->line);
	if (fclose(f) || !p)
		need(NULL);
	return p;
}

static void site_row(struct sql_rows *rows, uint32_t run, uint64_t site)
{
	const struct ctt_site *s = ctt_model_site(ctt_models_get(&rows->models, run), site);
	char *at = where(s);
	struct sql_value v[] = { run_number(rows->sink, run), number(site),
		*s->func ? string(s->func) : null(), *s->file ? string(s->file) : null(),
		nonzero(s->line), *at ? string(at) : null() };

	rows->sink->row(rows->sink, SQL_SITES, v);
	free(at);
}

static void site_rows(struct sql_rows *rows, uint32_t run)
{
	struct sql_run *r = &rows->run[run];

	if (r->site_count)
		qsort(r->sites, r->site_count, sizeof(*r->sites), by_number);
	for (size_t i = 0; i < r->site_count; i++)
		if (!i || r->sites[i] != r->sites[i - 1])
			site_row(rows, run, r->sites[i]);
	free(r->sites);
}

static void lost_row(struct sql_rows *rows, const struct ctt_event *ev)
{
	struct sql_value v[] = { run_number(rows->sink, ev->run), number(ev->line), nonzero(ev->ts),
		number_if(ev->has & CTT_HAS_TID, ev->tid), nonzero(ev->probe_id),
		number(ev->lost.count), nonzero(ev->lost.from), nonzero(ev->lost.to) };

	rows->sink->row(rows->sink, SQL_LOST, v);
}

static void worker_row(struct sql_rows *rows, uint32_t run, const struct ctt_worker *w)
{
	bool depth = w->parked_since && w->depth != UINT64_MAX;
	struct sql_value v[] = { run_number(rows->sink, run), number(w->tid), nonzero(w->pid),
		string(w->name), string(w->role), number_if(w->parks, w->parked),
		nonzero(w->parked_since), number_if(depth, w->depth), nonzero(w->last_ts) };

	rows->sink->row(rows->sink, SQL_THREADS, v);
}

static void run_row(struct sql_rows *rows, uint32_t run, const struct ctt_trace_run *r)
{
	const struct sql_run *own = &rows->run[run];
	struct sql_value v[] = { run_number(rows->sink, run), number(r->v1 ? 1 : 2),
		string(own->tool), nonzero(r->first_ts), nonzero(r->last_ts), number(r->lines),
		number(r->bad), number(own->events), number(r->lost), number_if(!r->v1, r->ended),
		number_if(own->exited && !own->signaled, own->exit_value),
		number_if(own->exited && own->signaled, own->exit_value),
		string(ctt_judge_doubt(ctt_judges_get(&rows->judges, run), r)) };

	rows->sink->row(rows->sink, SQL_RUNS, v);
}

/* Of a coroutine, a thing or a worker. */
static bool is_event(enum ctt_ev_kind k)
{
	return (k >= CTT_EV_CREATE && k <= CTT_EV_STATE) ||
		(k >= CTT_EV_NAME && k <= CTT_EV_UNPARK) ||
		(CTT_KIND(DEQUEUE) | CTT_KIND(DEADLINE) | CTT_KIND(LEG)) >> k & 1;
}

static struct sql_run *run_of(struct sql_rows *rows, uint32_t run)
{
	while (rows->count <= run) {
		ctt_model_on_end(ctt_models_get(&rows->models, rows->count), on_end, rows);
		*ADD(rows->run, rows->count, rows->room) = (struct sql_run){ .tool = NULL };
	}
	return &rows->run[run];
}

void sql_rows_of(struct sql_rows *rows, const struct ctt_event *ev)
{
	struct sql_run *r = run_of(rows, ev->run);

	if (is_event(ev->kind)) {
		event_row(rows, ev);
	} else if (ev->kind == CTT_EV_SITE) {
		note_site(r, ev->site);
	} else if (ev->kind == CTT_EV_LOST) {
		lost_row(rows, ev);
	} else if (ev->kind == CTT_EV_META && ev->meta.tool.p && !r->tool) {
		r->tool = need(strndup(ev->meta.tool.p, ev->meta.tool.len));
	} else if (ev->kind == CTT_EV_EXIT) {
		r->exited = true;
		r->signaled = ev->exit.signaled;
		r->exit_value = ev->exit.status;
	}
	ctt_models_apply(&rows->models, ev);
	ctt_judges_apply(&rows->judges, ev);
}

void sql_rows_end(struct sql_rows *rows, const struct ctt_trace *in)
{
	ctt_judges_end(&rows->judges);
	for (uint32_t run = 0; run < rows->count; run++) {
		struct ctt_model *m = ctt_models_get(&rows->models, run);
		const struct ctt_trace_run *facts = ctt_trace_run(in, run);
		struct ctt_coro *c;
		struct ctt_worker *w;

		for (size_t i = 0; (c = ctt_model_next(m, &i));)
			coroutine_row(rows, run, c, NULL);
		for (size_t i = 0; (w = ctt_model_next_worker(m, &i));)
			worker_row(rows, run, w);
		site_rows(rows, run);
		sql_awaits(rows->sink, m, run);
		sql_findings(rows->sink, ctt_judges_get(&rows->judges, run), facts, run,
			ctt_trace_stats(in)->runs);
		run_row(rows, run, facts);
		free(rows->run[run].tool);
	}
	free(rows->run);
	ctt_models_free(&rows->models);
	ctt_judges_free(&rows->judges);
}
