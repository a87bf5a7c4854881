/* ct-tocsv - a trace as CSV (RFC 4180): a row an event, a coroutine, a site, or an interval of a
 * coroutine's life; for spreadsheets, databases and data frames, and in parts for clusters.
 *
 * in:	{"probe_id":7,"tid":4711,"addr":"0x00007f3a10000b70","seq":18,"is_active":false,"ts":5,"ev":"suspend","n":9,"on":"fd:42"}
 * out:	run,line,ts,ev,probe_id,tid,n,...
 *	1,12,5,suspend,7,4711,9,...
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "csv.h"

static const char help[] =
	"usage: ct-tocsv [options] [trace ...]\n"
	"Print a trace as CSV: a header, then a row for every line of the trace.\n\n"
	"  --per=KIND       a row an event (the default), coroutine, site, or interval: a\n"
	"                   stretch of a coroutine's life,\n"
	"                   created, running, suspended, runnable. With --partition\n"
	"                   several: --per=event,interval\n"
	"  --columns=A,B,C  these columns, in this order, instead of all; the manual\n"
	"                   lists them\n"
	"  --null=TEXT      how a missing value looks, instead of an empty cell\n"
	"  --run=ID         what the run column says, instead of 1; a second run is ID-2\n"
	"  --partition=DIR  write DIR/table=events/run=1/part-000000.csv and so on, all\n"
	"                   of it or nothing\n"
	"  --rows=N         at most so many rows a file (default 1000000)\n"
	"  --bucket=DUR     another directory below run=1 for each such time: bucket=N,\n"
	"                   where N is ts / DUR\n"
	"  --strict         bad lines are status 2\n"
	"  -o, --output=FILE  write to a file instead of standard output\n"
	"  --quiet          only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0; 2 usage or unusable input: then --partition writes nothing; 3 nothing\n"
	"was recorded.\n\n"
	"example: ct-tocsv --columns=ts,ev,probe_id,on <trace.jsonl | head\n"
	"         ct-tocsv --per=interval <trace.jsonl >intervals.csv\n";

static struct ctt_common opt = { .product = CTT_FILE };
static const char *columns;
static struct part_options parts = { .rows = 1000000 };
static bool parted;		/* an option was given that needs --partition */

/* It becomes the name of a directory, key=value. */
static bool is_run(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

	return len && len <= 128 && !s[len];
}

static bool own_option(int letter, const char *arg)
{
	switch (letter) {
	case 'p': return csv_choose_tables(arg);
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
	{ "bucket", required_argument, NULL, 'b' }, CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END
};
static const struct ctt_program program = { "ct-tocsv", help, options, own_option };

static void check_options(void)
{
	size_t wanted = csv_wanted();

	if (parted && !parts.dir)
		ctt_die(program.name, "--rows, --bucket", "need --partition");
	if (wanted > 1 && !parts.dir)
		ctt_die(program.name, "--per",
			"several only with --partition: stdout takes one table");
	if (wanted > 1 && columns)
		ctt_die(program.name, "--columns", "of one table only");
	csv_choose_columns(columns, parts.dir ? &parts : NULL);
}

/* Of each run, NULL where no table of its coroutines is wanted. */
struct folds {
	struct csv_fold **fold;
	uint32_t count;
	size_t room;
};

static void apply(struct folds *f, const struct ctt_event *ev)
{
	struct csv_row row = { .run = ev->run, .time = ev->ts, .ev = ev };
	bool wanted = csv_wants(&csv_coroutines) || csv_wants(&csv_sites) ||
		csv_wants(&csv_intervals);

	while (f->count <= ev->run) {
		ROOM(f->fold, f->count, f->room);
		f->fold[f->count] = wanted ? csv_fold_new(f->count) : NULL;
		f->count++;
	}
	if (f->fold[ev->run])
		csv_fold_apply(f->fold[ev->run], ev);
	if (csv_wants(&csv_events))
		csv_emit(&csv_events, &row);
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct ctt_trace *in;
	struct folds folds = { 0 };
	struct ctt_event ev;

	check_options();
	in = ctt_trace_open(files, program.name);
	ctt_trace_set(in, opt.flags | CTT_TRACE_STREAMS);
	ctt_trace_on_wait(in, csv_waits, NULL);
	csv_out.flush_at = isatty(STDOUT_FILENO) ? 1 : CSV_FLUSH;
	for (bool first = true; ctt_trace_next(in, &ev) && !ferror(stdout) && !csv_out.failed;
		first = false) {
		if (first)
			csv_begin();
		apply(&folds, &ev);
	}
	for (uint32_t run = 0; run < folds.count; run++)
		if (folds.fold[run])
			csv_fold_finish(folds.fold[run], ctt_trace_run(in, run),
				csv_out.failed || opt.flags & CTT_TRACE_QUIET);
	free(folds.fold);
	csv_end(folds.count);
	if (csv_out.failed)	/* not read to its end: nothing to say about that */
		ctt_trace_set(in, opt.flags | CTT_TRACE_QUIET);
	return csv_finish(ctt_trace_finish(in, csv_out.failed ? 2 : 0));
}
