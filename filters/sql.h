/* sql.h - where ct-tosql's rows go: SQL text on stdout (sql-text.c) or an SQLite database (sql-db.c), the same rows.
 *
 * The tables are those of share/sql/sqlite/schema.sql; a row has a value for each column, in that order. A failing
 * write ends the program with status 2 and a message; what was loaded until then is rolled back.
 */
#ifndef SQL_H
#define SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sql_table { SQL_RUNS, SQL_SITES, SQL_THREADS, SQL_LOST, SQL_COROUTINES, SQL_EVENTS, SQL_TABLES };
enum sql_mode { SQL_CREATE, SQL_APPEND, SQL_REPLACE };

struct sql_value {
	enum { SQL_NULL, SQL_NUMBER, SQL_TEXT } type;
	uint64_t number;	/* above INT64_MAX it becomes the decimal as text: SQLite's integers end there */
	const char *text;	/* len bytes of UTF-8 without NUL; must last until the row is written */
	size_t len;
};

struct sql_sink {
	uint32_t first_run;	/* number of this load's first run: not 0 where rows are appended */
	void (*row)(struct sql_sink *, enum sql_table, const struct sql_value *);
	void (*finish)(struct sql_sink *, bool keep);	/* commit, or roll back; then it is gone */
};

extern const char *const sql_table_name[SQL_TABLES];
extern const int sql_columns[SQL_TABLES];

/* Open one of them, once a process; never NULL. */
struct sql_sink *sql_text_open(enum sql_mode);
struct sql_sink *sql_db_open(const char *path, enum sql_mode);

/* "INSERT INTO events VALUES": sites may be told again (by another process), the last one counts. */
const char *sql_insert(enum sql_table);
/* The decimal of v in buf; returns its length. */
size_t sql_decimal(char buf[20], uint64_t v);

#endif
