/* sql-db.c - rows into an SQLite database: prepared statements, one transaction. Contracts in sql.h. */
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "cttrace.h"
#include "sql.h"
#include "sql.inc"

enum { BUSY_MS = 2000 };	/* how long somebody else's lock is waited for */

struct db_sink {
	struct sql_sink sink;
	sqlite3 *db;
	sqlite3_stmt *insert[SQL_TABLES];
	const char *path;
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
	char why[512];

	snprintf(why, sizeof(why), "%s", sqlite3_errmsg(s->db));
	close_db(s, false);
	die("ct-tosql", s->path, why);
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

static int64_t ask(struct db_sink *s, const char *sql)
{
	sqlite3_stmt *stmt = prepare(s, sql);
	int64_t v = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;

	sqlite3_finalize(stmt);
	if (v < 0)
		fail(s);
	return v;
}

static void bind(struct db_sink *s, sqlite3_stmt *stmt, int i, const struct sql_value *v)
{
	char decimal[20];
	int bad;

	if (v->type == SQL_NULL)
		bad = sqlite3_bind_null(stmt, i);
	else if (v->type == SQL_TEXT)
		bad = sqlite3_bind_text(stmt, i, v->text, (int)v->len, SQLITE_STATIC);
	else if (v->number > INT64_MAX)
		bad = sqlite3_bind_text(stmt, i, decimal, (int)sql_decimal(decimal, v->number), SQLITE_TRANSIENT);
	else
		bad = sqlite3_bind_int64(stmt, i, (int64_t)v->number);
	if (bad)
		fail(s);
}

static void db_row(struct sql_sink *sink, enum sql_table t, const struct sql_value *v)
{
	struct db_sink *s = (struct db_sink *)sink;

	for (int i = 0; i < sql_columns[t]; i++)
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

static void prepare_inserts(struct db_sink *s)
{
	for (int t = 0; t < SQL_TABLES; t++) {
		char sql[128];
		int n = snprintf(sql, sizeof(sql), "%s(?", sql_insert((enum sql_table)t));

		for (int i = 1; i < sql_columns[t]; i++)
			n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
		snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
		s->insert[t] = prepare(s, sql);
	}
}

struct sql_sink *sql_db_open(const char *path, enum sql_mode mode)
{
	static struct db_sink only;	/* one a process, so that what ends it early owes nothing */
	struct db_sink *s = &only;
	bool there;

	s->sink.row = db_row;
	s->sink.finish = db_finish;
	s->path = path;
	s->fresh = access(path, F_OK) != 0;
	if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
		fail(s);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	run_sql(s, "BEGIN IMMEDIATE");
	there = ask(s, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'runs'");
	if (mode == SQL_REPLACE)
		run_sql(s, sql_drop);
	if (mode != SQL_APPEND || !there)
		run_sql(s, sql_schema);
	else
		s->sink.first_run = (uint32_t)ask(s, "SELECT coalesce(max(run) + 1, 0) FROM runs");
	prepare_inserts(s);
	return &s->sink;
}
