/* sheets.c - the tables that are wanted, with which columns, and where their rows go. Contracts in
 * csv.h. */
#include <stdlib.h>

#include "base/interrupt.h"
#include "base/stdout.h"
#include "csv.h"

enum { CHOSEN_MAX = 256 };
static struct output {
	const struct csv_table *table;
	bool wanted;
	size_t chosen[CHOSEN_MAX], count;
	bool plain;		/* all columns, missing values empty */
	struct buf buf;
	struct part *part;
} outputs[] = {
	{ .table = &csv_events }, { .table = &csv_coroutines }, { .table = &csv_sites },
	{ .table = &csv_intervals }
};
enum { OUTPUTS = sizeof(outputs) / sizeof(outputs[0]) };

struct csv_out csv_out;

static struct output *output_of(const struct csv_table *t)
{
	struct output *o = outputs;

	while (o->table != t)
		o++;
	return o;
}

bool csv_wants(const struct csv_table *t)
{
	return output_of(t)->wanted;
}

static bool is_word(const char *p, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(p, word, len);
}

bool csv_choose_tables(const char *list)
{
	for (;; list++) {
		size_t len = strcspn(list, ","), i = 0;

		while (i < OUTPUTS && !is_word(list, len, outputs[i].table->per))
			i++;
		if (i == OUTPUTS)
			return false;
		outputs[i].wanted = true;
		list += len;
		if (!*list)
			return true;
	}
}

size_t csv_wanted(void)
{
	size_t wanted = 0;

	for (size_t i = 0; i < OUTPUTS; i++)
		wanted += outputs[i].wanted;
	if (!wanted)
		wanted = outputs[0].wanted = true;
	return wanted;
}

/* The run is in the path of a part, so not in its rows: as all do who read such directories. */
static void choose(struct output *o, size_t column)
{
	if (o->count < CHOSEN_MAX && (column || !csv_out.parts))
		o->chosen[o->count++] = column;
}

static void choose_columns(struct output *o, const char *columns)
{
	const struct csv_table *t = o->table;
	const char *p = columns ? columns : "";
	size_t i;

	for (i = 0; i < t->count && !columns; i++)
		choose(o, i);
	o->plain = t->row && o->count == t->count && !columns && !csv_null.len;
	for (size_t len; columns; p += len + 1) {
		len = strcspn(p, ",");
		for (i = 0; i < t->count && !is_word(p, len, t->columns[i]); i++)
			;
		if (i == t->count)
			ctt_die("ct-tocsv", columns,
				"not all are columns of what --per asks for; try --help");
		choose(o, i);
		if (!p[len])
			break;
	}
	if (!o->count)
		ctt_die("ct-tocsv", columns,
			"no column is left: with --partition the run is in the path");
}

/* For a signal. */
static void remove_parts(void)
{
	part_stop();
	for (size_t i = 0; i < OUTPUTS; i++)
		if (outputs[i].part)
			part_remove(outputs[i].part);
}

void csv_choose_columns(const char *columns, const struct part_options *parts)
{
	csv_out.parts = parts;
	if (parts)
		interrupt_clean(remove_parts);
	for (size_t i = 0; i < OUTPUTS; i++)
		if (outputs[i].wanted)
			choose_columns(&outputs[i], columns);
}

static void flush(struct output *o)
{
	if (o->buf.len)
		stdout_put(o->buf.p, o->buf.len);
	o->buf.len = 0;
}

void csv_waits(void *arg, bool begins)
{
	(void)arg;
	for (size_t i = 0; begins && !csv_out.parts && i < OUTPUTS; i++)
		flush(&outputs[i]);
}

/* CRLF, as the RFC has it. */
static void begin(struct output *o)
{
	for (size_t i = 0; i < o->count; i++) {
		if (i)
			buf_add(&o->buf, ",", 1);
		csv_string(&o->buf, o->table->columns[o->chosen[i]]);
	}
	buf_add(&o->buf, "\r\n", 2);
	if (!csv_out.parts)
		return;
	o->part = part_open(csv_out.parts, o->table, o->buf.p, o->buf.len);
	o->buf.len = 0;
}

static void put_cells(struct output *o, const struct csv_row *row)
{
	const struct csv_table *t = o->table;

	for (size_t i = 0; i < o->count; i++) {
		size_t before;

		if (i)
			buf_add(&o->buf, ",", 1);
		before = o->buf.len;
		t->cell(&o->buf, row, o->chosen[i]);
		if (o->buf.len == before && csv_null.len)
			buf_add(&o->buf, csv_null.p, csv_null.len);
	}
	buf_add(&o->buf, "\r\n", 2);
}

void csv_emit(const struct csv_table *t, const struct csv_row *row)
{
	struct output *o = output_of(t);

	if (!o->plain || !t->row(&o->buf, row))
		put_cells(o, row);
	if (!o->part) {
		if (o->buf.len >= csv_out.flush_at)
			flush(o);
		return;
	}
	csv_out.failed |= !part_row(o->part, row->run, row->time, o->buf.p, o->buf.len);
	o->buf.len = 0;
}

void csv_begin(void)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		if (outputs[i].wanted)
			begin(&outputs[i]);
}

void csv_end(uint32_t runs)
{
	for (size_t i = 0; i < OUTPUTS; i++) {
		if (outputs[i].part)
			csv_out.failed |= !part_close(outputs[i].part, csv_out.failed ? 0 : runs);
		else
			flush(&outputs[i]);
		free(outputs[i].buf.p);
	}
}

int csv_finish(int status)
{
	part_stop();		/* for a signal it is too late */
	for (size_t i = 0; i < OUTPUTS; i++)
		if (outputs[i].part && !part_finish(outputs[i].part, status != 2))
			status = 2;
	return status;
}
