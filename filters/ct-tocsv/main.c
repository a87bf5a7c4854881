/* ct-tocsv - a trace as CSV (RFC 4180): a row an event, a coroutine, a site, or an interval of a coroutine's life; for
 * spreadsheets, databases and data frames, and in parts for clusters.
 *
 * in:	{"probe_id":7,"tid":4711,"addr":"0x00007f3a10000b70","seq":18,"is_active":false,"ts":5,"ev":"suspend","n":9,"on":"fd:42"}
 * out:	run,line,ts,ev,probe_id,tid,n,...
 *	1,12,5,suspend,7,4711,9,...
 */
#include <stdlib.h>
#include <unistd.h>

#include "csv.h"

static const char help[] =
	"usage: ct-tocsv [options] [trace ...]\n"
	"Print a trace as CSV: a header, then a row for every line of the trace.\n\n"
	"  --per=KIND       a row an event (the default), coroutine, site, or interval: a stretch of a coroutine's life,\n"
	"                   created, running, suspended, runnable. With --partition several: --per=event,interval\n"
	"  --columns=A,B,C  these columns, in this order, instead of all; the manual tells of them\n"
	"  --null=TEXT      how a missing value looks, instead of an empty cell\n"
	"  --run=ID         what the run column says, instead of 1; a second run is ID-2\n"
	"  --partition=DIR  write DIR/table=events/run=1/part-000000.csv and so on, all of it or nothing\n"
	"  --rows=N         at most so many rows a file (default 1000000)\n"
	"  --bucket=DUR     another directory below run=1 for each such time: bucket=N, where N is ts / DUR\n"
	"  --strict         bad lines are status 2\n"
	"  --quiet          only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0; 2 usage or unusable input: then --partition writes nothing; 3 nothing was recorded.\n\n"
	"example: ct-tocsv --columns=ts,ev,probe_id,on <trace.jsonl | head\n"
	"         ct-tocsv --per=interval <trace.jsonl >intervals.csv\n";

enum { CHOSEN_MAX = 256, FLUSH = 64 << 10 };
static struct output {
	const struct csv_table *table;
	bool wanted;
	size_t chosen[CHOSEN_MAX], count;
	struct buf buf;
	struct part *part;
} outputs[] = {
	{ .table = &csv_events }, { .table = &csv_coroutines }, { .table = &csv_sites }, { .table = &csv_intervals }
};
enum { OUTPUTS = sizeof(outputs) / sizeof(outputs[0]) };

static struct ctt_common opt;
static const char *columns;
static size_t flush_at;
static struct part_options parts = { .rows = 1000000 };
static bool parted;		/* an option was given that needs --partition */
static bool failed;		/* a part could not be written: told */

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

static bool choose_tables(const char *list)
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

/* It becomes the name of a directory, key=value. */
static bool is_run(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

	return len && len <= 128 && !s[len];
}

static bool own_option(int letter, const char *arg)
{
	switch (letter) {
	case 'p': return choose_tables(arg);
	case 'c': columns = arg; return *arg;
	case 'n': csv_null = (struct ctt_text){ arg, strlen(arg) }; return !strpbrk(arg, ",\"\r\n");
	case 'r': csv_run = arg; return is_run(arg);
	case 'd': parts.dir = arg; return *arg;
	case 'w': parted = true; return ctt_parse_number(arg, 1, UINT64_MAX, &parts.rows);
	case 'b': parted = true; return ctt_parse_duration(arg, &parts.bucket) && parts.bucket;
	default: return false;
	}
}

static const struct option options[] = {
	{ "per", required_argument, NULL, 'p' }, { "columns", required_argument, NULL, 'c' },
	{ "null", required_argument, NULL, 'n' }, { "run", required_argument, NULL, 'r' },
	{ "partition", required_argument, NULL, 'd' }, { "rows", required_argument, NULL, 'w' },
	{ "bucket", required_argument, NULL, 'b' }, CTT_OPT_ALWAYS, CTT_OPT_END
};
static const struct ctt_program program = { "ct-tocsv", help, options, own_option };

/* The run is in the path of a part, so not in its rows: as all do who read such directories. */
static void choose(struct output *o, size_t column)
{
	if (o->count < CHOSEN_MAX && (column || !parts.dir))
		o->chosen[o->count++] = column;
}

static void choose_columns(struct output *o)
{
	const struct csv_table *t = o->table;
	const char *p = columns ? columns : "";
	size_t i;

	for (i = 0; i < t->count && !columns; i++)
		choose(o, i);
	for (size_t len; columns; p += len + 1) {
		len = strcspn(p, ",");
		for (i = 0; i < t->count && !is_word(p, len, t->columns[i]); i++)
			;
		if (i == t->count)
			ctt_die(program.name, columns, "not all are columns of what --per asks for; try --help");
		choose(o, i);
		if (!p[len])
			break;
	}
	if (!o->count)
		ctt_die(program.name, columns, "no column is left: with --partition the run is in the path");
}

static void check_options(void)
{
	size_t wanted = 0;

	for (size_t i = 0; i < OUTPUTS; i++)
		wanted += outputs[i].wanted;
	if (!wanted)
		wanted = outputs[0].wanted = true;
	if (parted && !parts.dir)
		ctt_die(program.name, "--rows, --bucket", "need --partition");
	if (wanted > 1 && !parts.dir)
		ctt_die(program.name, "--per", "several only with --partition: stdout takes one table");
	if (wanted > 1 && columns)
		ctt_die(program.name, "--columns", "of one table only");
	for (size_t i = 0; i < OUTPUTS; i++)
		if (outputs[i].wanted)
			choose_columns(&outputs[i]);
}

static void flush(struct output *o)
{
	if (o->buf.len)
		fwrite(o->buf.p, 1, o->buf.len, stdout);
	o->buf.len = 0;
}

static void waits(void *arg, bool begins)
{
	(void)arg;
	for (size_t i = 0; begins && !parts.dir && i < OUTPUTS; i++)
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
	if (!parts.dir)
		return;
	o->part = part_open(&parts, o->table, o->buf.p, o->buf.len);
	o->buf.len = 0;
}

void csv_emit(const struct csv_table *t, const struct csv_row *row)
{
	struct output *o = output_of(t);

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
	if (!o->part) {
		if (o->buf.len >= flush_at)
			flush(o);
		return;
	}
	failed |= !part_row(o->part, row->run, row->time, o->buf.p, o->buf.len);
	o->buf.len = 0;
}

static void apply(struct csv_fold ***folds, uint32_t *runs, const struct ctt_event *ev)
{
	struct csv_row row = { .run = ev->run, .time = ev->ts, .ev = ev };

	for (; *runs <= ev->run; ++*runs) {
		*folds = realloc(*folds, (*runs + 1) * sizeof(**folds));
		if (!*folds)
			ctt_die(program.name, "out of memory", NULL);
		(*folds)[*runs] = csv_wants(&csv_coroutines) || csv_wants(&csv_sites) || csv_wants(&csv_intervals) ?
			csv_fold_new(*runs) : NULL;
	}
	if ((*folds)[ev->run])
		csv_fold_apply((*folds)[ev->run], ev);
	if (csv_wants(&csv_events))
		csv_emit(&csv_events, &row);
}

/* All tables are whole before the first appears. */
static int finish(struct ctt_trace *in, uint32_t runs)
{
	int status;

	for (size_t i = 0; i < OUTPUTS; i++) {
		if (outputs[i].part)
			failed |= !part_close(outputs[i].part, failed ? 0 : runs);
		else
			flush(&outputs[i]);
		free(outputs[i].buf.p);
	}
	if (failed)		/* not read to its end: nothing to say about that */
		ctt_trace_set(in, opt.flags | CTT_TRACE_QUIET);
	status = ctt_trace_finish(in, failed ? 2 : 0);
	for (size_t i = 0; i < OUTPUTS; i++)
		if (outputs[i].part && !part_finish(outputs[i].part, status != 2))
			status = 2;
	return status;
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct ctt_trace *in;
	struct csv_fold **folds = NULL;
	struct ctt_event ev;
	uint32_t runs = 0;

	check_options();
	in = ctt_trace_open(files, program.name);
	ctt_trace_set(in, opt.flags | CTT_TRACE_STREAMS);
	ctt_trace_on_wait(in, waits, NULL);
	flush_at = isatty(STDOUT_FILENO) ? 1 : FLUSH;
	for (bool first = true; ctt_trace_next(in, &ev) && !ferror(stdout) && !failed; first = false) {
		for (size_t i = 0; first && i < OUTPUTS; i++)
			if (outputs[i].wanted)
				begin(&outputs[i]);
		apply(&folds, &runs, &ev);
	}
	for (uint32_t run = 0; run < runs; run++)
		if (folds[run])
			csv_fold_finish(folds[run], ctt_trace_run(in, run), failed || opt.flags & CTT_TRACE_QUIET);
	free(folds);
	return finish(in, runs);
}
