/* sql-text.c - rows as SQL text for the sqlite3 shell: one transaction, INSERTs of many rows. Contracts in sql.h.
 *
 * The shell reads lines: a carriage return before a newline would be dropped. So texts with control characters are
 * written as CAST(x'..' AS TEXT), which is exact. ".bail on" makes the shell stop at the first error (the tables exist
 * already), so that nothing of the load stays.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cttrace.h"
#include "sql.h"
#include "sql.inc"

enum { FLUSH = 64 << 10, KEEP = 1 << 20 };

struct buf {
	char *p;
	size_t len, size;
};
struct text_sink {
	struct sql_sink sink;
	FILE *out;			/* stdout's own copy: trace_finish closes stdout before it is known how this ends */
	struct buf table[SQL_TABLES];	/* each table's INSERT in the making: so rows of several may alternate */
};

const char *const sql_table_name[SQL_TABLES] = { "runs", "sites", "threads", "lost", "coroutines", "events" };
const int sql_columns[SQL_TABLES] = { 12, 5, 9, 8, 23, 20 };

const char *sql_insert(enum sql_table t)
{
	static char sql[64];

	snprintf(sql, sizeof(sql), "INSERT %sINTO %s VALUES", t == SQL_SITES ? "OR REPLACE " : "", sql_table_name[t]);
	return sql;
}

size_t sql_decimal(char buf[20], uint64_t v)
{
	char digits[20];
	size_t n = 0, i = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		buf[i++] = digits[--n];
	return i;
}

static char *room(struct buf *b, size_t more)
{
	if (b->size - b->len < more) {
		b->size = 2 * b->size + more + 256;
		b->p = realloc(b->p, b->size);
		if (!b->p)
			die("ct-tosql", "out of memory", NULL);
	}
	return b->p + b->len;
}

static void add(struct buf *b, const char *s, size_t len)
{
	memcpy(room(b, len), s, len);
	b->len += len;
}

static bool has_control(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return true;
	return false;
}

static void add_text(struct buf *b, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	char *p = room(b, 2 * len + 20);

	if (has_control(s, len)) {
		p = (char *)memcpy(p, "CAST(x'", 7) + 7;
		for (size_t i = 0; i < len; i++) {
			*p++ = hex[(unsigned char)s[i] >> 4];
			*p++ = hex[s[i] & 15];
		}
		p = (char *)memcpy(p, "' AS TEXT)", 10) + 10;
	} else {
		*p++ = '\'';
		for (size_t i = 0; i < len; i++) {
			*p++ = s[i];
			if (s[i] == '\'')
				*p++ = '\'';
		}
		*p++ = '\'';
	}
	b->len = (size_t)(p - b->p);
}

static void add_value(struct buf *b, const struct sql_value *v)
{
	char decimal[20];

	if (v->type == SQL_TEXT)
		add_text(b, v->text, v->len);
	else if (v->type == SQL_NULL)
		add(b, "NULL", 4);
	else if (v->number > INT64_MAX)
		add_text(b, decimal, sql_decimal(decimal, v->number));
	else
		add(b, decimal, sql_decimal(decimal, v->number));
}

/* The reader has gone: that is no error, and nobody is left to write for. */
static void check(bool good)
{
	if (good)
		return;
	if (errno == EPIPE)
		_Exit(0);
	die("ct-tosql", "<stdout>", strerror(errno));
}

static void flush(FILE *out, struct buf *b)
{
	if (b->len)
		check(fwrite(b->p, 1, b->len, out) == b->len && fputs(";\n", out) != EOF);
	b->len = 0;
	if (b->size > KEEP) {
		free(b->p);
		*b = (struct buf){ NULL, 0, 0 };
	}
}

static void text_row(struct sql_sink *sink, enum sql_table t, const struct sql_value *v)
{
	struct text_sink *s = (struct text_sink *)sink;
	struct buf *b = &s->table[t];
	const char *insert = sql_insert(t);

	if (b->len)
		add(b, ",", 1);
	else
		add(b, insert, strlen(insert));
	add(b, "\n(", 2);
	for (int i = 0; i < sql_columns[t]; i++) {
		if (i)
			add(b, ",", 1);
		add_value(b, &v[i]);
	}
	add(b, ")", 1);
	if (b->len >= FLUSH)
		flush(s->out, b);
}

static void text_finish(struct sql_sink *sink, bool keep)
{
	struct text_sink *s = (struct text_sink *)sink;

	for (int i = 0; i < SQL_TABLES; i++) {
		flush(s->out, &s->table[i]);
		free(s->table[i].p);
	}
	check(fputs(keep ? "COMMIT;\n" : "ROLLBACK;\n", s->out) != EOF && fclose(s->out) == 0);
}

struct sql_sink *sql_text_open(enum sql_mode mode)
{
	static struct text_sink only;	/* one a process: there is one stdout */
	struct text_sink *s = &only;
	int fd = dup(STDOUT_FILENO);

	s->sink.row = text_row;
	s->sink.finish = text_finish;
	s->out = fd < 0 ? NULL : fdopen(fd, "w");
	check(s->out && fprintf(s->out, ".bail on\nBEGIN IMMEDIATE;\n%s%s",
		mode == SQL_REPLACE ? sql_drop : "", sql_schema) >= 0);
	return &s->sink;
}
