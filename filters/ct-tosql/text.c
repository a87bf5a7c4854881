/* text.c - rows as text for a database's own client: one transaction where there is one, statements
 * of many rows. Contracts in sql.h. The text makes the client stop at the first error, so that
 * nothing of a load stays. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

enum { KEEP = 4 << 20, PARTS = 12, FEED = 128 << 10 };

struct text_sink {
	struct sql_sink sink;
	struct sql_load load;
	bool next_run;			/* the runs are the database's next */
	uint64_t run;			/* what set_run said last */
	char tables[64];		/* prefix of the tables that rows go to */
	struct sql_out out;
	struct buf fed;		/* events on their way through the feed */
	/* statements in the making: one for each set of columns that rows have */
	struct part {
		struct sql_head head;
		struct buf rows;
	} part[SQL_TABLES][PARTS];
	struct buf head;
};

static void put(struct text_sink *s, const char *text)
{
	sql_out_write(&s->out, text, strlen(text));
}

static void put_template(struct text_sink *s, const char *template)
{
	char *text = sql_expand(template, s->load.prefix);

	put(s, text);
	free(text);
}

static void flush(struct text_sink *s, struct part *p)
{
	struct buf *rows = &p->rows;

	if (!rows->len)
		return;
	s->head.len = 0;
	s->load.dialect->head(&s->head, &p->head);
	buf_word(rows, s->load.dialect->tail);
	sql_out_write(&s->out, s->head.p, s->head.len);
	sql_out_write(&s->out, rows->p, rows->len);
	rows->len = 0;
	p->head.escaped = 0;
	if (rows->size > KEEP) {
		free(rows->p);
		*rows = (struct buf){ NULL, 0, 0 };
	}
}

static void flush_all(struct text_sink *s)
{
	for (int t = 0; t < SQL_TABLES; t++)
		for (int i = 0; i < PARTS; i++)
			flush(s, &s->part[t][i]);
}

/* The statement for rows of these columns. Where there are too many, the largest is written
 * first. */
static struct part *part_for(struct text_sink *s, enum sql_table t, uint32_t columns)
{
	struct part *part = s->part[t], *largest = part;

	for (int i = 0; i < PARTS; i++) {
		if (part[i].rows.len && part[i].head.columns == columns)
			return &part[i];
		if (!part[i].rows.len ||
			(largest->rows.len && part[i].rows.len > largest->rows.len))
			largest = &part[i];
	}
	flush(s, largest);
	largest->head = (struct sql_head){ s->tables, t, s->next_run, columns, 0 };
	return largest;
}

/* Rows of one run only are in the making where statements do not name it. */
static void set_run(struct text_sink *s, uint64_t run)
{
	char decimal[21], text[256];

	flush_all(s);
	s->run = run;
	snprintf(decimal, sizeof(decimal), "%" PRIu64, run);
	snprintf(text, sizeof(text), s->load.dialect->set_run, decimal);
	put(s, text);
}

/* False: it is too long. */
static bool feed_event(struct text_sink *s, const struct sql_value *v)
{
	const struct sql_feed *feed = s->load.dialect->feed;
	size_t before = s->fed.len;

	feed->row(&s->fed, v);
	if (s->fed.len - before > feed->longest) {
		s->fed.len = before;
		return false;
	}
	if (s->fed.len >= FEED) {
		sql_out_feed(&s->out, s->fed.p, s->fed.len);
		s->fed.len = 0;
	}
	return true;
}

/* A separator, of which there are many: a byte or two. */
static void add(struct buf *b, const char *s)
{
	while (*s)
		buf_byte(b, *s++);
}

static void text_row(struct sql_sink *sink, enum sql_table t, const struct sql_value *v)
{
	struct text_sink *s = (struct text_sink *)sink;
	const struct sql_dialect *d = s->load.dialect;
	bool unnamed = s->next_run && d->set_run;
	uint32_t columns = !unnamed;
	struct part *p;
	const char *sep;

	if (t == SQL_EVENTS && s->out.feed && feed_event(s, v))
		return;
	if (unnamed && v[0].number != s->run)
		set_run(s, v[0].number);
	for (int i = 1; sql_column[t][i]; i++)
		columns |= (uint32_t)(v[i].type != SQL_NULL) << i;
	p = part_for(s, t, columns);
	add(&p->rows, p->rows.len ? d->row_sep : "");
	sep = d->row_begin;
	for (int i = 0; columns >> i; i++) {
		if (!(columns >> i & 1))
			continue;
		add(&p->rows, sep);
		add(&p->rows, !i && s->next_run ? d->first_run : "");
		p->head.escaped |= (uint32_t)d->quote(&p->rows, &v[i]) << i;
		sep = d->value_sep;
	}
	add(&p->rows, d->row_end);
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
	if (s->out.feed && s->fed.len)
		sql_out_feed(&s->out, s->fed.p, s->fed.len);
	free(s->fed.p);
	sql_out_close(&s->out);
}

/* Events, of which there are many, go through a pipe of their own; the other rows follow when they
 * have ended. */
static void begin_feed(struct text_sink *s)
{
	const struct sql_feed *feed = s->load.dialect->feed;
	struct sql_head all = { s->tables, SQL_EVENTS, s->next_run, ~0u, 0 };
	struct buf b = { NULL, 0, 0 };

	feed->statement(&b, &all, s->out.feed_fd);
	sql_out_write(&s->out, b.p, b.len);
	free(b.p);
	sql_out_divert(&s->out);
	buf_add(&s->fed, feed->begin.p, feed->begin.len);
}

/* Does this shell command begin with the client itself? Behind ssh, sudo or in a container it would
 * not have our descriptor. */
static bool is_client(const char *command, const char *const *names)
{
	const char *word = command + strspn(command, " \t"), *end = word + strcspn(word, " \t"),
		   *slash;

	while (memchr(word, '=', (size_t)(end - word))) {	/* a variable for it */
		word = end + strspn(end, " \t");
		end = word + strcspn(word, " \t");
	}
	while ((slash = memchr(word, '/', (size_t)(end - word))))
		word = slash + 1;
	for (; *names; names++)
		if (strlen(*names) == (size_t)(end - word) &&
			!strncmp(*names, word, (size_t)(end - word)))
			return true;
	return false;
}

struct sql_sink *sql_text_open(const char *client, const struct sql_load *load)
{
	static struct text_sink only;	/* one a process: there is one stdout */
	struct text_sink *s = &only;
	char *opening;
	bool feed;

	s->sink.first_run = load->run;
	s->sink.row = text_row;
	s->sink.finish = text_finish;
	s->load = *load;
	s->next_run = load->mode == SQL_APPEND && !load->has_run;
	snprintf(s->tables, sizeof(s->tables), "%s%s", load->prefix,
		load->mode == SQL_APPEND ? "" : load->dialect->staging);
	feed = client && load->dialect->feed && (!s->next_run || load->dialect->feed->next_run) &&
		is_client(client, load->dialect->feed->clients);
	sql_out_open(&s->out, client, feed);
	opening = sql_opening(load);
	put(s, opening);
	free(opening);
	if (feed)
		begin_feed(s);
	return &s->sink;
}
