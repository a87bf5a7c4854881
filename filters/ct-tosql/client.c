/* client.c - rows into ClickHouse by its own client. Contract in sql.h.
 *
 * Events stream into a client of their own, as TabSeparated, which it reads fastest; so does any
 * table that grows large. The rest, as Values, waits for one client at the end: each takes as long
 * to start as 50,000 events to load.
 *
 * ClickHouse has no transaction, so this makes a load look like one: the rows of runs, without
 * which no view shows anything of a run, are written last, when all others have arrived. What a
 * load that fails has left is taken away where the server still answers; where it does not, nobody
 * sees it, and no later load takes its run's number.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sql.h"

/* Bytes of events, and of the rest of a table, that are kept back. */
enum { WRITE = 256 << 10, WAIT = 4 << 20, EVENTS_PROBE_ID = 4, CUT = -1 };

struct client_sink {
	struct sql_sink sink;
	struct sql_load load;
	const char *command;
	struct {
		FILE *to;		/* its client; NULL: none yet */
		struct buf rows;
	} table[SQL_TABLES];
	uint64_t last_run;
	enum { NOTHING, ROWS, TABLES } undo;	/* what there is to take away when this fails */
};

/* The client with these arguments. A program that is not there is the shell's to report. */
static FILE *start(const struct client_sink *s, const char *arguments, const char *mode)
{
	struct buf b = { NULL, 0, 0 };
	FILE *f;

	buf_word(&b, s->command);
	buf_word(&b, arguments);
	buf_add(&b, "", 1);
	f = popen(b.p, mode);
	if (!f)
		ctt_die("ct-tosql", "--client", "no shell can be started");
	free(b.p);
	return f;
}

/* Its status when it has read all; CUT where it ended well before that. */
static int finish(FILE *f)
{
	bool cut = fflush(f) != 0 || ferror(f);
	int status = pclose(f);

	return !status && cut ? CUT : status;
}

static int run_statements(const struct client_sink *s, const char *statements)
{
	FILE *f = start(s, " -n", "w");

	fputs(statements, f);
	return finish(f);
}

/* Statements that take away what this load has written. */
static char *undoing(const struct client_sink *s)
{
	struct buf b = { NULL, 0, 0 };
	char where[80];

	if (s->undo == TABLES)
		return sql_expand(s->load.dialect->drop, s->load.prefix);
	snprintf(where, sizeof(where), " DELETE WHERE run BETWEEN %" PRIu64 " AND %" PRIu64 ";\n",
		s->sink.first_run, s->last_run);
	for (int t = 0; t < SQL_TABLES; t++) {
		buf_word(&b, "ALTER TABLE ");
		buf_word(&b, s->load.prefix);
		buf_word(&b, sql_table_name[t]);
		buf_word(&b, where);
	}
	buf_add(&b, "", 1);
	return b.p;
}

/* Take it away; false when that fails. The clients end first: what they still hold, they write. */
static bool undo(struct client_sink *s)
{
	char *statements;
	bool gone;

	for (int t = 0; t < SQL_TABLES; t++)
		if (s->table[t].to)
			pclose(s->table[t].to);
	if (s->undo == NOTHING)
		return true;
	if (s->undo == ROWS && s->load.cluster)
		return false;		/* only the shards could */
	statements = undoing(s);
	gone = !run_statements(s, statements);
	free(statements);
	return gone;
}

_Noreturn static void fail(struct client_sink *s, int status, const char *doing)
{
	char why[256];
	int n = status == CUT ? snprintf(why, sizeof(why), "without reading all") :
		WIFEXITED(status) ? snprintf(why, sizeof(why), "status %d", WEXITSTATUS(status)) :
		snprintf(why, sizeof(why), "signal %d", WTERMSIG(status));

	n += snprintf(why + n, sizeof(why) - (size_t)n, " while %s", doing);
	if (!undo(s))
		snprintf(why + n, sizeof(why) - (size_t)n,
			"; what was written of run %" PRIu64
			" could not be taken away: no view shows it",
			s->sink.first_run);
	ctt_die("ct-tosql", "the client ended", why);
}

/* The number that a query answers. */
static uint64_t ask(struct client_sink *s, const char *select, const char *doing)
{
	struct buf b = { NULL, 0, 0 };
	uint64_t answer = 0;
	FILE *f;
	int status, found;

	buf_word(&b, " --query=\"SELECT ");
	buf_word(&b, select);
	buf_word(&b, "\"");
	buf_add(&b, "", 1);
	f = start(s, b.p, "r");
	free(b.p);
	found = fscanf(f, "%" SCNu64, &answer);
	status = pclose(f);
	if (status)
		fail(s, status, doing);
	if (found != 1)
		ctt_die("ct-tosql", "the client",
			"answers a question with something else than a number");
	return answer;
}

/* Of all runs that have rows: those of a load that broke off have none in runs. `each` is asked of
 * three tables. */
static uint64_t ask_runs(
	struct client_sink *s, const char *all, const char *each, const char *where)
{
	static const enum sql_table of[] = { SQL_RUNS, SQL_COROUTINES, SQL_EVENTS };
	struct buf b = { NULL, 0, 0 };
	uint64_t answer;

	buf_word(&b, all);
	for (int i = 0; i < 3; i++) {
		buf_word(&b, i ? " UNION ALL SELECT " : " FROM (SELECT ");
		buf_word(&b, each);
		buf_word(&b, " FROM ");
		buf_word(&b, s->load.prefix);
		buf_word(&b, sql_table_name[of[i]]);
		buf_word(&b, where);
	}
	buf_word(&b, ")");
	buf_add(&b, "", 1);
	answer = ask(s, b.p, "asking which runs are there");
	free(b.p);
	return answer;
}

/* The number of the first run that is added. */
static uint64_t first_run(struct client_sink *s)
{
	char where[48];

	if (!s->load.has_run)
		return ask_runs(
			s, "if(sum(n) = 0, 0, max(top) + 1)", "max(run) AS top, count() AS n", "");
	snprintf(where, sizeof(where), " WHERE run = %" PRIu64, s->load.run);
	if (ask_runs(s, "sum(n)", "count() AS n", where))
		ctt_die("ct-tosql", "--run", "there are rows of this number");
	return s->load.run;
}

static uint64_t tables_there(struct client_sink *s)
{
	struct buf b = { NULL, 0, 0 };
	uint64_t n;

	buf_word(&b,
		"count() FROM system.tables WHERE database = currentDatabase() AND name IN (''");
	for (int t = 0; t < SQL_TABLES; t++) {
		buf_word(&b, ",'");
		buf_word(&b, s->load.prefix);
		buf_word(&b, sql_table_name[t]);
		buf_word(&b, "'");
	}
	buf_word(&b, ")");
	buf_add(&b, "", 1);
	n = ask(s, b.p, "asking which tables are there");
	free(b.p);
	return n;
}

static void make_tables(struct client_sink *s)
{
	char *statements = sql_opening(&s->load);
	int status;

	if (s->load.mode == SQL_CREATE && tables_there(s))
		ctt_die("ct-tosql", "--create",
			"some of the tables are there already; --append adds to them");
	s->undo = s->load.mode == SQL_APPEND ? NOTHING : TABLES;
	status = run_statements(s, statements);
	if (status)
		fail(s, status, "making the tables");
	free(statements);
}

/* The server would give up a load that is slow to go on, and accept what no shard has taken yet.
 * Client and server work at once where blocks are small; the server makes parts of some of them,
 * which it merges later. */
#define LOADING " --receive_timeout=604800 --insert_distributed_sync=1 --max_insert_block_size=65536" \
	" --min_insert_block_size_rows=262144"

static void flush(struct client_sink *s, enum sql_table t)
{
	struct buf *rows = &s->table[t].rows, b = { NULL, 0, 0 };

	if (!s->table[t].to) {
		buf_word(&b, LOADING " --query='");
		sql_insert_into(&b, s->load.prefix, t);
		buf_word(&b, t == SQL_EVENTS ? " FORMAT TabSeparated'" : " VALUES'");
		buf_add(&b, "", 1);
		s->table[t].to = start(s, b.p, "w");
		free(b.p);
	}
	fwrite(rows->p, 1, rows->len, s->table[t].to);
	rows->len = 0;
}

/* What streams ends. */
static void finish_table(struct client_sink *s, enum sql_table t)
{
	char doing[64];
	int status;

	if (s->table[t].rows.len)
		flush(s, t);
	status = finish(s->table[t].to);
	s->table[t].to = NULL;
	snprintf(doing, sizeof(doing), "loading %s", sql_table_name[t]);
	if (status)
		fail(s, status, doing);
}

static void insert(const struct client_sink *s, enum sql_table t, FILE *to)
{
	const struct buf *rows = &s->table[t].rows;
	struct buf head = { NULL, 0, 0 };

	if (!rows->len)
		return;
	sql_insert_into(&head, s->load.prefix, t);
	buf_word(&head, " VALUES ");
	fwrite(head.p, 1, head.len, to);
	fwrite(rows->p, 1, rows->len, to);
	fputs(";\n", to);
	free(head.p);
}

/* What waits, the rows of runs last. */
static void finish_rest(struct client_sink *s)
{
	FILE *to = start(s, LOADING " -n", "w");
	int status;

	for (int t = 0; t < SQL_TABLES; t++)
		if (t != SQL_RUNS)
			insert(s, (enum sql_table)t, to);
	insert(s, SQL_RUNS, to);
	status = finish(to);
	if (status)
		fail(s, status, "loading the smaller tables");
}

/* No line ends here: some clients would take it for the end of the rows. */
static void add_values(struct buf *b, enum sql_table t, const struct sql_value *v, bool first)
{
	buf_word(b, first ? "(" : ",(");
	for (int i = 0; sql_column[t][i]; i++) {
		if (i)
			buf_byte(b, ',');
		sql_quote_values(b, &v[i]);
	}
	buf_byte(b, ')');
}

/* What the table is sorted by is not NULL. */
static void add_event(struct buf *b, const struct sql_value *v)
{
	struct sql_value row[SQL_COLUMNS];

	memcpy(row, v, (size_t)sql_columns(SQL_EVENTS) * sizeof(*row));
	if (row[EVENTS_PROBE_ID].type == SQL_NULL)
		row[EVENTS_PROBE_ID] = (struct sql_value){ .type = SQL_NUMBER };
	sql_row(b, SQL_EVENTS, row, '\t', sql_quote_tabs);
}

static void client_row(struct sql_sink *sink, enum sql_table t, const struct sql_value *v)
{
	struct client_sink *s = (struct client_sink *)sink;
	struct buf *b = &s->table[t].rows;

	if (v->number > s->last_run)
		s->last_run = v->number;
	if (t == SQL_EVENTS)
		add_event(b, v);
	else
		add_values(b, t, v, !b->len && !s->table[t].to);
	if (b->len < (t == SQL_EVENTS ? WRITE : WAIT) || t == SQL_RUNS)
		return;
	flush(s, t);
	if (ferror(s->table[t].to))
		finish_table(s, t);
}

static void client_finish(struct sql_sink *sink, bool keep)
{
	struct client_sink *s = (struct client_sink *)sink;

	if (keep && s->table[SQL_EVENTS].rows.len)
		flush(s, SQL_EVENTS);
	for (int t = 0; keep && t < SQL_TABLES; t++)
		if (s->table[t].to)
			finish_table(s, (enum sql_table)t);
	if (keep && s->table[SQL_RUNS].rows.len)
		finish_rest(s);
	for (int t = 0; t < SQL_TABLES; t++)
		free(s->table[t].rows.p);
	if (!keep && !undo(s))
		ctt_die("ct-tosql", "the client",
			"what was written could not be taken away: no view shows it");
}

struct sql_sink *sql_client_open(const char *command, const struct sql_load *load)
{
	static struct client_sink only;
	struct client_sink *s = &only;

	signal(SIGPIPE, SIG_IGN);	/* a client that ends early has a status to report */
	*s = (struct client_sink){ { load->run, client_row, client_finish }, .load = *load, .command = command };
	make_tables(s);
	if (load->mode == SQL_APPEND) {
		s->sink.first_run = first_run(s);
		s->undo = ROWS;
	}
	s->last_run = s->sink.first_run;
	return &s->sink;
}
