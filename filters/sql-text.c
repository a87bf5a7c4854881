/* sql-text.c - rows as text for a database's own client: one transaction where there is one, statements of many rows.
 * Contracts in sql.h. The text makes the client stop at the first error, so that nothing of a load stays. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sql.h"

enum { KEEP = 4 << 20 };

struct text_sink {
	struct sql_sink sink;
	struct sql_load load;
	FILE *out;			/* stdout's own copy: trace_finish closes stdout before it is known how this ends */
	struct sql_buf table[SQL_TABLES];	/* each table's statement in the making: so rows of several may alternate */
};

/* The reader has gone: that is no error, and nobody is left to write for. */
static void check(bool good)
{
	if (good)
		return;
	if (errno == EPIPE)
		_Exit(0);
	die("ct-tosql", "<stdout>", strerror(errno));
}

static void put_template(struct text_sink *s, const char *template)
{
	char *text = sql_expand(template, s->load.prefix);

	check(fputs(text, s->out) != EOF);
	free(text);
}

static void flush(struct text_sink *s, struct sql_buf *b)
{
	if (b->len) {
		sql_puts(b, s->load.dialect->tail);
		check(fwrite(b->p, 1, b->len, s->out) == b->len);
	}
	b->len = 0;
	if (b->size > KEEP) {
		free(b->p);
		*b = (struct sql_buf){ NULL, 0, 0 };
	}
}

static void text_row(struct sql_sink *sink, enum sql_table t, const struct sql_value *v)
{
	struct text_sink *s = (struct text_sink *)sink;
	const struct sql_dialect *d = s->load.dialect;
	struct sql_value run = { .type = SQL_NUMBER, .number = v[0].number + s->load.run };
	struct sql_buf *b = &s->table[t];

	if (b->len)
		sql_puts(b, d->row_sep);
	else
		d->head(b, s->load.prefix, t);
	sql_puts(b, d->row_begin);
	if (s->load.mode == SQL_APPEND && !s->load.has_run)
		sql_puts(b, d->first_run);
	d->quote(b, &run);
	for (int i = 1; sql_column[t][i]; i++) {
		sql_puts(b, d->value_sep);
		d->quote(b, &v[i]);
	}
	sql_puts(b, d->row_end);
	if (b->len >= d->flush)
		flush(s, b);
}

static void text_finish(struct sql_sink *sink, bool keep)
{
	struct text_sink *s = (struct text_sink *)sink;

	for (int i = 0; i < SQL_TABLES; i++) {
		flush(s, &s->table[i]);
		free(s->table[i].p);
	}
	put_template(s, keep ? s->load.dialect->commit : s->load.dialect->rollback);
	check(fclose(s->out) == 0);
}

struct sql_sink *sql_text_open(const struct sql_load *load)
{
	static struct text_sink only;	/* one a process: there is one stdout */
	struct text_sink *s = &only;
	int fd = dup(STDOUT_FILENO);
	char *opening;

	s->sink.row = text_row;
	s->sink.finish = text_finish;
	s->load = *load;
	s->out = fd < 0 ? NULL : fdopen(fd, "w");
	check(s->out);
	opening = sql_opening(load);
	check(fputs(opening, s->out) != EOF);
	free(opening);
	return &s->sink;
}
