/* sql-text.c - rows as text for a database's own client: one transaction where there is one, statements of many rows.
 * Contracts in sql.h. The text makes the client stop at the first error, so that nothing of a load stays. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sql.h"

enum { KEEP = 4 << 20, PARTS = 12 };

struct text_sink {
	struct sql_sink sink;
	struct sql_load load;
	bool next_run;			/* the runs are the database's next */
	uint64_t run;			/* what set_run said last */
	char tables[64];		/* prefix of the tables that rows go to */
	FILE *out;			/* stdout's own copy: trace_finish closes stdout before it is known how this ends */
	struct part {			/* statements in the making: one for each set of columns that rows have */
		struct sql_head head;
		struct sql_buf rows;
	} part[SQL_TABLES][PARTS];
	struct sql_buf head;
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

static void flush(struct text_sink *s, struct part *p)
{
	struct sql_buf *rows = &p->rows;

	if (!rows->len)
		return;
	s->head.len = 0;
	s->load.dialect->head(&s->head, &p->head);
	sql_puts(rows, s->load.dialect->tail);
	check(fwrite(s->head.p, 1, s->head.len, s->out) == s->head.len && fwrite(rows->p, 1, rows->len, s->out) == rows->len);
	rows->len = 0;
	p->head.escaped = 0;
	if (rows->size > KEEP) {
		free(rows->p);
		*rows = (struct sql_buf){ NULL, 0, 0 };
	}
}

static void flush_all(struct text_sink *s)
{
	for (int t = 0; t < SQL_TABLES; t++)
		for (int i = 0; i < PARTS; i++)
			flush(s, &s->part[t][i]);
}

/* The statement for rows of these columns. Where there are too many, the largest is written first. */
static struct part *part_for(struct text_sink *s, enum sql_table t, uint32_t columns)
{
	struct part *part = s->part[t], *largest = part;

	for (int i = 0; i < PARTS; i++) {
		if (part[i].rows.len && part[i].head.columns == columns)
			return &part[i];
		if (!part[i].rows.len || (largest->rows.len && part[i].rows.len > largest->rows.len))
			largest = &part[i];
	}
	flush(s, largest);
	largest->head = (struct sql_head){ s->tables, t, s->next_run, columns, 0 };
	return largest;
}

/* Rows of one run only are in the making where statements do not name it. */
static void set_run(struct text_sink *s, uint64_t run)
{
	char decimal[21];

	flush_all(s);
	s->run = run;
	decimal[sql_decimal(decimal, run)] = '\0';
	check(fprintf(s->out, s->load.dialect->set_run, decimal) > 0);
}

static void text_row(struct sql_sink *sink, enum sql_table t, const struct sql_value *v)
{
	struct text_sink *s = (struct text_sink *)sink;
	const struct sql_dialect *d = s->load.dialect;
	struct sql_value run = { .type = SQL_NUMBER, .number = v[0].number + s->load.run };
	bool unnamed = s->next_run && d->set_run;
	uint32_t columns = !unnamed;
	struct part *p;
	const char *sep;

	if (unnamed && v[0].number != s->run)
		set_run(s, v[0].number);
	for (int i = 1; sql_column[t][i]; i++)
		columns |= (uint32_t)(v[i].type != SQL_NULL) << i;
	p = part_for(s, t, columns);
	sql_puts(&p->rows, p->rows.len ? d->row_sep : "");
	sep = d->row_begin;
	for (int i = 0; columns >> i; i++) {
		if (!(columns >> i & 1))
			continue;
		sql_puts(&p->rows, sep);
		sql_puts(&p->rows, !i && s->next_run ? d->first_run : "");
		p->head.escaped |= (uint32_t)d->quote(&p->rows, i ? &v[i] : &run) << i;
		sep = d->value_sep;
	}
	sql_puts(&p->rows, d->row_end);
	if (p->rows.len >= d->flush)
		flush(s, p);
}

static void text_finish(struct sql_sink *sink, bool keep)
{
	struct text_sink *s = (struct text_sink *)sink;
	const struct sql_dialect *d = s->load.dialect;

	flush_all(s);
	for (int t = 0; t < SQL_TABLES; t++)
		for (int i = 0; i < PARTS; i++)
			free(s->part[t][i].rows.p);
	free(s->head.p);
	put_template(s, keep ? d->commit[s->load.mode] : d->rollback);
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
	s->next_run = load->mode == SQL_APPEND && !load->has_run;
	snprintf(s->tables, sizeof(s->tables), "%s%s", load->prefix, load->mode == SQL_APPEND ? "" : load->dialect->staging);
	s->out = fd < 0 ? NULL : fdopen(fd, "w");
	check(s->out);
	opening = sql_opening(load);
	check(fputs(opening, s->out) != EOF);
	free(opening);
	return &s->sink;
}
