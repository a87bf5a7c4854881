/* sql.h - where ct-tosql's rows go: text on stdout for a database's own client (text.c), or
 * straight into an SQLite database (db.c), the same rows.
 *
 * The tables are those of share/sql/all/schema.sql; a row has a value for each column, in that
 * order. The first is the run's number: from the sink's first_run on, or from 0, where the text
 * makes the database add its next. A write that fails ends the program with status 2 and a message;
 * what was loaded until then is rolled back.
 */
#ifndef SQL_H
#define SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cttrace.h"

/* ---- tables and columns (columns.c) ---- */

enum sql_table {
	SQL_RUNS,
	SQL_SITES,
	SQL_THREADS,
	SQL_LOST,
	SQL_COROUTINES,
	SQL_EVENTS,
	SQL_AWAITS,
	SQL_FINDINGS,
	SQL_EVIDENCE,
	SQL_CYCLES,
	SQL_TABLES
};
enum { SQL_COLUMNS = 24 };	/* of the widest table, at most */
extern const char *const sql_table_name[SQL_TABLES];
/* as in schema.sql; NULL behind the last */
extern const char *const sql_column[SQL_TABLES][SQL_COLUMNS + 1];
int sql_columns(enum sql_table);

/* what a statement's rows are for, and what they have: what is NULL is left out */
struct sql_head {
	const char *prefix;
	enum sql_table table;
	bool next_run;		/* the run is the database's next */
	/* a bit for each column that has values; for those of which some are escaped */
	uint32_t columns, escaped;
};

/* "VERB prefix_runs(run,version,...)" of the columns that the head has; "BEFORE(run,version,...)",
 * begun with sep. */
void sql_add_columns(struct buf *, const char *verb, const struct sql_head *);
void sql_add_list(struct buf *, const char *before, const char *sep, const struct sql_head *);
/* "INSERT INTO runs(run,version,...)" */
void sql_insert_into(struct buf *, const char *prefix, enum sql_table);

struct sql_value {
	enum { SQL_NULL, SQL_NUMBER, SQL_TEXT } type;
	uint64_t number;
	/* len bytes of UTF-8 without NUL; must last until the row is written */
	const char *text;
	size_t len;
};

/* ---- the text of values (quote.c) ---- */

/* One value as the dialect reads it: whatever the text, it stays one value. True where it had to be
 * escaped in a way that the statement's head has to undo. */
bool sql_quote_sqlite(struct buf *, const struct sql_value *);
bool sql_quote_mysql(struct buf *, const struct sql_value *);
bool sql_quote_duckdb(struct buf *, const struct sql_value *);
/* PostgreSQL's COPY, ClickHouse's TabSeparated */
bool sql_quote_tabs(struct buf *, const struct sql_value *);
void sql_quote_values(struct buf *, const struct sql_value *);	/* ClickHouse's Values */
bool sql_quote_csv(struct buf *, const struct sql_value *);

/* A line of values as `quote` writes them. */
void sql_row(struct buf *, enum sql_table, const struct sql_value *, char sep,
	bool (*quote)(struct buf *, const struct sql_value *));

/* ---- dialects (dialect.c) ---- */

enum sql_mode { SQL_CREATE, SQL_APPEND, SQL_REPLACE, SQL_MODES };

/* How a client reads rows of events from a descriptor, much faster than from statements
 * (feed.c). */
struct sql_feed {
	const char *const *clients;	/* which do: their names */
	void (*statement)(struct buf *, const struct sql_head *, int fd);
	bool next_run;		/* it can make their run the database's next */
	struct ctt_text begin;	/* what stands before the rows */
	void (*row)(struct buf *, const struct sql_value *);
	size_t longest;		/* bytes of a row; longer ones go into statements */
};
extern const struct sql_feed sql_feed_postgres, sql_feed_mysql, sql_feed_duckdb;

/* Templates (share/sql): {runs} stands for the table of that name with the prefix. */
struct sql_dialect {
	const char *name;
	const char *open[SQL_MODES], *commit[SQL_MODES], *rollback, *drop;
	/* what opens it with --cluster instead, whose name is @cluster; NULL: cannot */
	const char *cluster[SQL_MODES];
	/* One statement of many rows: head, rows, tail; row and values are parted by these. */
	void (*head)(struct buf *, const struct sql_head *);
	const char *row_begin, *value_sep, *row_sep, *row_end, *tail;
	bool (*quote)(struct buf *, const struct sql_value *);
	/* Where the database shows which run is its next: what stands before a run's number
	 * ("@first_run+"), or what says for the statements that follow which run they are of (%s:
	 * its number in the trace); both NULL: it cannot. */
	const char *first_run, *set_run;
	/* rows go to tables with this in their names, which are renamed at the end; "" */
	const char *staging;
	size_t flush;		/* bytes at which a statement ends */
	const struct sql_feed *feed;	/* NULL: none */
};
/* NULL where there is none of that name */
const struct sql_dialect *sql_dialect(const char *name);
/* The template with the prefix in its places; terminated. */
char *sql_expand(const char *template, const char *prefix);

/* ---- where text goes (out.c) ---- */

struct sql_out {
	FILE *to, *client;	/* stdout's copy, or the client that was run */
	FILE *feed;		/* the end of a pipe, whose other end the client has as feed_fd */
	int feed_fd;
};
/* To this shell command; NULL: to stdout. A client that fails, or ends before it has read all, ends
 * the program with status 2; so does a stdout that cannot be written, but a closed pipe ends it
 * with 0. */
void sql_out_open(struct sql_out *, const char *client, bool feed);
void sql_out_write(struct sql_out *, const char *, size_t len);
/* From now on the client reads the feed, and no text: what is written waits in a file until
 * sql_out_close. */
void sql_out_divert(struct sql_out *);
void sql_out_feed(struct sql_out *, const char *, size_t len);
void sql_out_close(struct sql_out *);

/* ---- sinks ---- */

struct sql_load {
	const struct sql_dialect *dialect;
	enum sql_mode mode;
	const char *prefix;	/* "" for none; letters, digits, underscores */
	bool has_run;
	uint64_t run;		/* number of the first run, where has_run */
	/* name of the cluster whose shards hold the tables, or NULL; letters, digits, _ - */
	const char *cluster;
};
/* What opens the load, expanded; the caller frees it. */
char *sql_opening(const struct sql_load *);

struct sql_sink {
	uint64_t first_run;	/* number of the trace's first */
	void (*row)(struct sql_sink *, enum sql_table, const struct sql_value *);
	void (*finish)(struct sql_sink *, bool keep);	/* commit, or roll back; then it is gone */
};

/* Open one of them, once a process; never NULL. Text goes to this client, a shell command, or for
 * NULL to stdout. */
struct sql_sink *sql_text_open(const char *client, const struct sql_load *);
struct sql_sink *sql_db_open(const char *path, const struct sql_load *);
/* ClickHouse by its own client: the shell command that runs it, to which options are added. */
struct sql_sink *sql_client_open(const char *command, const struct sql_load *);

/* ---- rows (rows.c) ---- */

struct sql_rows {		/* begin with the sink and zeros */
	struct sql_sink *sink;
	/* the plain fold; judges put off what a program does to itself at its end */
	struct ctt_models models;
	struct ctt_judges judges;
	struct sql_run *run;
	uint32_t count;
	size_t room;
};
void sql_rows_of(struct sql_rows *, const struct ctt_event *);
/* What is known at the end only; frees what it made. */
void sql_rows_end(struct sql_rows *, const struct ctt_trace *);

/* ---- what takes a graph or judgement (findings.c, awaits.c) ---- */

void sql_findings(struct sql_sink *, struct ctt_judge *, const struct ctt_trace_run *, uint32_t run,
	uint32_t runs);
void sql_awaits(struct sql_sink *, struct ctt_model *, uint32_t run);

#endif
