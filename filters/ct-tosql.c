/* ct-tosql - a trace as SQL: text for the sqlite3 shell, or straight into a database.
 *
 * in:	{"probe_id":7,"tid":4711,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 * out:	INSERT INTO events VALUES
 *	(0,12,123456789,'suspend',7,4711,'0x00007f3a10000b70',18,0,9,3,NULL,NULL,'fd:42',NULL,NULL,NULL,NULL,NULL,NULL);
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cttrace.h"
#include "sql.h"

static const char help[] =
	"usage: ct-tosql [options] [trace ...]\n"
	"Print a trace as SQL for sqlite3: tables events, coroutines, sites, threads, runs, lost; views stuck, lost_wakeup,\n"
	"site_stats, await_tree, timeline.\n\n"
	"  --db=FILE   write into this SQLite database instead: the same tables, faster\n"
	"  --create    make the tables; it is an error when they are there (the default)\n"
	"  --append    add to the tables that are there, as further runs (with --db only)\n"
	"  --replace   remove the tables that are there first\n"
	"  --strict    bad lines are status 2, and nothing is loaded\n"
	"  --quiet     only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 loaded, 2 usage or unusable input: then nothing is loaded.\n\n"
	"example: ct-record ./app | ct-tosql | sqlite3 t.db && sqlite3 -box t.db 'SELECT * FROM stuck'\n";

static struct common opt;
static const char *db_path;
static enum sql_mode mode = SQL_CREATE;
static struct sql_sink *sink;

static bool own_option(int letter, const char *arg)
{
	switch (letter) {
	case 'd': db_path = arg; return *arg;
	case 'c': mode = SQL_CREATE; return true;
	case 'a': mode = SQL_APPEND; return true;
	case 'r': mode = SQL_REPLACE; return true;
	default: return false;
	}
}

static const struct option options[] = {
	{ "db", required_argument, NULL, 'd' }, { "create", no_argument, NULL, 'c' }, { "append", no_argument, NULL, 'a' },
	{ "replace", no_argument, NULL, 'r' }, OPT_ALWAYS, OPT_END
};
static const struct program program = { "ct-tosql", help, options, own_option };

/* What the model does not keep of a run. */
struct run {
	char *tool;
	uint64_t events, exit_value;
	bool exited, signaled;
};
static struct run *runs;
static uint32_t run_count;

static struct sql_value null(void) { return (struct sql_value){ .type = SQL_NULL }; }
static struct sql_value number(uint64_t v) { return (struct sql_value){ .type = SQL_NUMBER, .number = v }; }
static struct sql_value number_if(bool told, uint64_t v) { return told ? number(v) : null(); }
static struct sql_value nonzero(uint64_t v) { return number_if(v, v); }

static struct sql_value bytes(const char *p, size_t len)
{
	return (struct sql_value){ .type = p ? SQL_TEXT : SQL_NULL, .text = p, .len = p ? len : 0 };
}

static struct sql_value string(const char *s) { return s ? bytes(s, strlen(s)) : null(); }
static struct sql_value text(struct text t) { return bytes(t.p, t.len); }

/* In one spelling whatever the trace's, so that rows compare; a row has one, so one buffer serves. */
static struct sql_value object(const struct on *on)
{
	static char buf[64];

	if (on->kind == ON_NONE)
		return null();
	if (on->text.p && !on->number)
		return text(on->text);
	return string(on_text(buf, sizeof(buf), on));
}

static struct sql_value address(uint64_t v)
{
	static char buf[19] = "0x";

	for (int i = 0; i < 16; i++)
		buf[2 + i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
	return bytes(buf, 18);
}

static struct sql_value run_number(uint32_t run) { return number(sink->first_run + (uint64_t)run); }

static void event_row(const struct event *ev)
{
	bool coro = ev->kind >= EV_CREATE && ev->kind <= EV_STATE, told = ev->has & HAS_VALUE;
	struct sql_value v[] = {
		run_number(ev->run), number(ev->line), number(ev->ts), string(ev_name(ev->kind)), nonzero(ev->probe_id),
		number_if(ev->has & HAS_TID || coro, ev->tid), coro ? address(ev->addr) : null(), number_if(coro, ev->seq),
		number_if(coro, ev->is_active), number_if(ev->has & HAS_N, ev->n), nonzero(ev->site),
		number_if(ev->has & HAS_PARENT, ev->parent), nonzero(ev->by), object(&ev->on),
		number_if(ev->has & HAS_DONE, ev->done), number_if(told, ev->value), text(ev->name),
		ev->kind == EV_WAKER ? string(ev->clone ? "clone" : "drop") : null(),
		number_if(ev->has & HAS_STACK, ev->stack), text(ev->reason)
	};

	sink->row(sink, SQL_EVENTS, v);
	runs[ev->run].events++;
}

/* ended: by this line; NULL for one that lives on. Another's line may show that an address has a new owner: then the
 * old one ended some time before, and nobody said when. */
static void coroutine_row(uint32_t run, const struct coro *c, const struct event *ended)
{
	bool destroyed = ended && ended->kind == EV_DESTROY;
	struct sql_value v[] = {
		run_number(run), number(c->id), string(c->name), nonzero(c->parent),
		string(coro_state_name(c->state)), ended ? number_if(destroyed, ended->ts) : number(c->since),
		nonzero(c->created), number_if(destroyed, destroyed ? ended->ts : 0),
		number_if(destroyed && ended->has & HAS_DONE, destroyed && ended->done), number(c->first_ts),
		number(destroyed ? ended->ts : c->last_ts), number(destroyed ? ended->line : c->last_line),
		number(destroyed && ended->tid ? ended->tid : c->tid), c->frame ? address(c->frame) : null(),
		nonzero(c->site), nonzero(c->spawn_site), object(&c->on), string(c->reason),
		destroyed ? number_if(ended->has & HAS_N, ended->n) : number_if(c->has_n, c->order),
		number(c->missing), nonzero(c->wake_ts), nonzero(c->wake_by), number_if(c->wake_ts, c->wake_tid)
	};

	sink->row(sink, SQL_COROUTINES, v);
}

static void on_end(void *run, struct coro *c, const struct event *ev)
{
	(void)run;
	coroutine_row(ev->run, c, ev);
}

static void site_row(const struct event *ev)
{
	struct sql_value v[] = {
		run_number(ev->run), number(ev->site), text(ev->func), text(ev->file), nonzero(ev->src_line)
	};

	sink->row(sink, SQL_SITES, v);
}

static void lost_row(const struct event *ev)
{
	struct sql_value v[] = {
		run_number(ev->run), number(ev->line), nonzero(ev->ts), number_if(ev->has & HAS_TID, ev->tid),
		nonzero(ev->probe_id), number(ev->value), nonzero(ev->from), nonzero(ev->to)
	};

	sink->row(sink, SQL_LOST, v);
}

static void worker_row(uint32_t run, const struct worker *w)
{
	bool depth = w->parked_since && w->depth != UINT64_MAX;
	struct sql_value v[] = {
		run_number(run), number(w->tid), nonzero(w->pid), string(w->name), string(w->role),
		number_if(w->parks, w->parked), nonzero(w->parked_since), number_if(depth, w->depth), nonzero(w->last_ts)
	};

	sink->row(sink, SQL_THREADS, v);
}

static void run_row(uint32_t run, const struct trace_run *r, const struct run *own)
{
	struct sql_value v[] = {
		run_number(run), number(r->v1 ? 1 : 2), string(own->tool), nonzero(r->first_ts), nonzero(r->last_ts),
		number(r->lines), number(r->bad), number(own->events), number(r->lost), number_if(!r->v1, r->ended),
		number_if(own->exited && !own->signaled, own->exit_value),
		number_if(own->exited && own->signaled, own->exit_value)
	};

	sink->row(sink, SQL_RUNS, v);
}

static void rows_of(struct models *models, const struct event *ev)
{
	while (run_count <= ev->run) {
		runs = realloc(runs, (run_count + 1) * sizeof(*runs));
		if (!runs)
			die("ct-tosql", "out of memory", NULL);
		runs[run_count] = (struct run){ 0 };
		model_on_end(models_get(models, run_count++), on_end, NULL);
	}
	if ((ev->kind >= EV_CREATE && ev->kind <= EV_STATE) || (ev->kind >= EV_NAME && ev->kind <= EV_UNPARK))
		event_row(ev);
	else if (ev->kind == EV_SITE)
		site_row(ev);
	else if (ev->kind == EV_LOST)
		lost_row(ev);
	else if (ev->kind == EV_META && ev->tool.p && !runs[ev->run].tool)
		runs[ev->run].tool = strndup(ev->tool.p, ev->tool.len);
	else if (ev->kind == EV_EXIT) {
		runs[ev->run].exited = true;
		runs[ev->run].signaled = ev->signaled;
		runs[ev->run].exit_value = ev->value;
	}
	models_apply(models, ev);
}

static void rows_at_end(struct models *models, const struct trace *in)
{
	for (uint32_t run = 0; run < run_count; run++) {
		struct model *m = models_get(models, run);
		struct coro *c;
		struct worker *w;

		for (size_t i = 0; (c = model_next(m, &i)); )
			coroutine_row(run, c, NULL);
		for (size_t i = 0; (w = model_next_worker(m, &i)); )
			worker_row(run, w);
		run_row(run, trace_run(in, run), &runs[run]);
		free(runs[run].tool);
	}
	free(runs);
}

int main(int argc, char *argv[])
{
	char **files = common_parse(argc, argv, &program, &opt);
	struct models models = { NULL, 0 };
	struct trace *in;
	struct event ev;
	int status;

	if (mode == SQL_APPEND && !db_path)
		die("ct-tosql", "--append", "needs --db: text cannot know which runs are there");
	sink = db_path ? sql_db_open(db_path, mode) : sql_text_open(mode);
	in = trace_open(files, "ct-tosql");
	trace_set(in, opt.flags | TRACE_STREAMS);
	while (trace_next(in, &ev))
		rows_of(&models, &ev);
	rows_at_end(&models, in);
	models_free(&models);
	status = trace_finish(in, 0);
	sink->finish(sink, status == 0);
	return status;
}
