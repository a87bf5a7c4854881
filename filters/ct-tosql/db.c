/* db.c - rows into an SQLite database: prepared statements, one transaction. Contracts in sql.h. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sql.h"

enum { BUSY_MS = 2000 };	/* how long somebody else's lock is waited for */

struct db_sink {
	struct sql_sink sink;
	sqlite3 *db;
	sqlite3_stmt *insert[SQL_TABLES];
	const char *path;
	int columns[SQL_TABLES];
	bool fresh;		/* the file was not there before: a failed load removes it */
};

static void close_db(struct db_sink *s, bool keep)
{
	for (int i = 0; i < SQL_TABLES; i++)
		sqlite3_finalize(s->insert[i]);
	sqlite3_close(s->db);		/* rolls back what is not committed */
	if (s->fresh && !keep)
		unlink(s->path);
}

_Noreturn static void fail(struct db_sink *s)
{
	int code = sqlite3_errcode(s->db) & 0xff;
	int error = 0;
	char why[512];

	if (code == SQLITE_CANTOPEN || code == SQLITE_IOERR)
		error = sqlite3_system_errno(s->db);
	snprintf(why, sizeof(why), error ? "%s: %s" : "%s", sqlite3_errmsg(s->db),
		strerror(error));
	close_db(s, false);
	ctt_die("ct-tosql", s->path, why);
}

static void run_sql(struct db_sink *s, const char *sql)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(s);
}

static sqlite3_stmt *prepare(struct db_sink *s, const char *sql)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail(s);
	return stmt;
}

static int64_t ask(struct db_sink *s, const char *template, const char *prefix)
{
	char *sql = sql_expand(template, prefix);
	sqlite3_stmt *stmt = prepare(s, sql);
	int64_t v = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;

	sqlite3_finalize(stmt);
	free(sql);
	if (v < 0)
		fail(s);
	return v;
}

static void bind(struct db_sink *s, sqlite3_stmt *stmt, int i, const struct sql_value *v)
{
	char decimal[21];
	int bad;

	if (v->type == SQL_NULL)
		bad = sqlite3_bind_null(stmt, i);
	else if (v->type == SQL_TEXT)
		bad = sqlite3_bind_text(stmt, i, v->text, (int)v->len, SQLITE_STATIC);
	else if (v->number > INT64_MAX)
		bad = sqlite3_bind_text(stmt, i, decimal,
			snprintf(decimal, sizeof(decimal), "%" PRIu64, v->number),
			SQLITE_TRANSIENT);
	else
		bad = sqlite3_bind_int64(stmt, i, (int64_t)v->number);
	if (bad)
		fail(s);
}

static void db_row(struct sql_sink *sink, enum sql_table t, const struct sql_value *v)
{
	struct db_sink *s = (struct db_sink *)sink;

	for (int i = 0; i < s->columns[t]; i++)
		bind(s, s->insert[t], i + 1, &v[i]);
	if (sqlite3_step(s->insert[t]) != SQLITE_DONE)
		fail(s);
	sqlite3_reset(s->insert[t]);
}

static void db_finish(struct sql_sink *sink, bool keep)
{
	struct db_sink *s = (struct db_sink *)sink;

	if (keep)
		run_sql(s, "COMMIT");
	close_db(s, keep);
}

static void prepare_inserts(struct db_sink *s, const char *prefix)
{
	for (int t = 0; t < SQL_TABLES; t++) {
		struct buf sql = { NULL, 0, 0 };

		sql_insert_into(&sql, prefix, (enum sql_table)t);
		s->columns[t] = sql_columns((enum sql_table)t);
		for (int i = 0; i < s->columns[t]; i++)
			buf_word(&sql, i ? ",?" : " VALUES(?");
		buf_add(&sql, ")", 2);
		s->insert[t] = prepare(s, sql.p);
		free(sql.p);
	}
}

/* Lines that begin with a dot are for the shell. */
static void run_template(struct db_sink *s, const char *template, const char *prefix)
{
	char *sql = sql_expand(template, prefix);

	for (char *line = sql; line; line = strchr(line, '\n'), line += !!line)
		if (*line == '.')
			memset(line, ' ', strcspn(line, "\n"));
	run_sql(s, sql);
	free(sql);
}

/* A file of one byte is an empty database to SQLite, which writes over it. None of its own is
 * smaller than its smallest page; what a load that was killed left may begin with anything. */
static bool is_something_else(const char *path)
{
	enum { PAGE_LEAST = 512 };
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size && st.st_size < PAGE_LEAST;
}

struct sql_sink *sql_db_open(const char *path, const struct sql_load *load)
{
	static struct db_sink only;	/* one a process, so that what ends it early owes nothing */
	struct db_sink *s = &only;

	s->sink.row = db_row;
	s->sink.finish = db_finish;
	s->path = path;
	s->fresh = access(path, F_OK) != 0;
	if (is_something_else(path))
		ctt_die("ct-tosql", path, "file is not a database");
	if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
		SQLITE_OK)
		fail(s);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	run_template(s, load->dialect->open[load->mode], load->prefix);
	s->sink.first_run = load->run;
	if (load->mode == SQL_APPEND && !load->has_run)
		s->sink.first_run = (uint64_t)ask(
			s, "SELECT coalesce(max(run) + 1, 0) FROM {runs}", load->prefix);
	prepare_inserts(s, load->prefix);
	return &s->sink;
}
