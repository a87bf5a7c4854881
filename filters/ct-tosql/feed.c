/* feed.c - rows of events through a descriptor of their own, which clients read much faster than
 * statements. Contracts in sql.h. */
#include <stdio.h>

#include "sql.h"

/* of a row for DuckDB, which fills 8 times as much before it begins */
enum { LONGEST = 1 << 20 };

/* ---- PostgreSQL: binary COPY, which costs the server least ---- */

static void feed_postgres(struct buf *b, const struct sql_head *h, int fd)
{
	char from[48];

	sql_add_columns(b, "\\copy ", h);
	snprintf(from, sizeof(from), " FROM '/dev/fd/%d' (FORMAT binary)\n", fd);
	buf_word(b, from);
}

static void add_integer(struct buf *b, uint64_t v, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--)
		buf_byte(b, (char)(v >> 8 * i));
}

/* Its numeric: digits of 10000, the power of the first, sign and scale. */
static void add_numeric(struct buf *b, uint64_t v)
{
	uint64_t digit[5];
	int n = 0, low = 0;

	for (; v; v /= 10000)
		digit[n++] = v % 10000;
	while (low < n && !digit[low])
		low++;
	add_integer(b, (uint64_t)(8 + 2 * (n - low)), 4);
	add_integer(b, (uint64_t)(n - low), 2);
	add_integer(b, n ? (uint64_t)(n - 1) : 0, 2);
	add_integer(b, 0, 4);
	for (int i = n - 1; i >= low; i--)
		add_integer(b, digit[i], 2);
}

static void row_postgres(struct buf *b, const struct sql_value *v)
{
	/* What is not numeric there: run, line; is_active, done. */
	static const unsigned char integer[SQL_COLUMNS] = { [0] = 8, [1] = 8, [8] = 4, [14] = 4 };

	add_integer(b, (uint64_t)sql_columns(SQL_EVENTS), 2);
	for (int i = 0; sql_column[SQL_EVENTS][i]; i++) {
		if (v[i].type == SQL_NULL) {
			add_integer(b, UINT32_MAX, 4);
		} else if (v[i].type == SQL_TEXT) {
			add_integer(b, v[i].len, 4);
			buf_add(b, v[i].text, v[i].len);
		} else if (integer[i]) {
			add_integer(b, integer[i], 4);
			add_integer(b, v[i].number, integer[i]);
		} else {
			add_numeric(b, v[i].number);
		}
	}
}

const struct sql_feed sql_feed_postgres = { (const char *const[]){ "psql", NULL }, feed_postgres,
	false, { "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19 }, row_postgres, SIZE_MAX };

/* ---- MySQL ---- */

/* LOCAL: the server takes a row that has an error with a warning; these have none, and no key.
 * Binary: they are UTF-8, and to look at them as that takes the server a sixth longer. */
static void feed_mysql(struct buf *b, const struct sql_head *h, int fd)
{
	struct sql_head but_run = *h;
	char from[64];

	but_run.columns &= ~(uint32_t)h->next_run;
	snprintf(from, sizeof(from), "LOAD DATA LOCAL INFILE '/dev/fd/%d' INTO TABLE ", fd);
	buf_word(b, from);
	buf_word(b, h->prefix);
	buf_word(b, sql_table_name[h->table]);
	sql_add_list(b,
		" CHARACTER SET binary FIELDS TERMINATED BY x'09' ESCAPED BY x'5c' LINES TERMINATED BY x'0a'",
		h->next_run ? "(@run," : "(", &but_run);
	buf_word(b, h->next_run ? " SET run = @first_run + @run;\n" : ";\n");
}

static void row_mysql(struct buf *b, const struct sql_value *v)
{
	sql_row(b, SQL_EVENTS, v, '\t', sql_quote_tabs);
}

const struct sql_feed sql_feed_mysql = { (const char *const[]){ "mariadb", "mysql", NULL },
	feed_mysql, true, { NULL, 0 }, row_mysql, SIZE_MAX };

/* ---- DuckDB ---- */

/* Its threads insert side by side where order does not matter. */
static void feed_duckdb(struct buf *b, const struct sql_head *h, int fd)
{
	char from[256];

	sql_add_columns(b, "SET preserve_insertion_order = false;\nCOPY ", h);
	snprintf(from, sizeof(from),
		" FROM '/dev/fd/%d' (DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR '', HEADER false,"
		" ALLOW_QUOTED_NULLS false, NEW_LINE '\\n', AUTO_DETECT false, MAX_LINE_SIZE %d, BUFFER_SIZE %d);\n",
		fd, LONGEST, 8 * LONGEST);
	buf_word(b, from);
}

static void row_duckdb(struct buf *b, const struct sql_value *v)
{
	sql_row(b, SQL_EVENTS, v, ',', sql_quote_csv);
}

const struct sql_feed sql_feed_duckdb = { (const char *const[]){ "duckdb", NULL }, feed_duckdb,
	false, { NULL, 0 }, row_duckdb, LONGEST };
