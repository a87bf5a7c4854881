/* ct-html - a trace as one self-contained page: verdict, findings, timeline, await tree, sites.
 *
 * in:	{"probe_id":7,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 * out:	<!doctype html> ...
 */
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "html.inc"

static const char help[] =
	"usage: ct-html [options] [trace ...]\n"
	"Print a trace as one HTML page that needs no network and nothing else: what is\n"
	"stuck and why, with its evidence; a timeline by worker, coroutine and site; who\n"
	"awaits whom; how long coroutines wait where. Open it in a browser.\n\n"
	"  --detail=N     show the last N stretches and marks one by one, and sum up what\n"
	"                 lies before (default 400000);\n"
	"                 coroutines that still live keep their last ones in any case\n"
	"  --grace=DUR    a cause younger than this accuses nobody (default 100ms)\n"
	"  --source=DIR   show the lines around suspension points, of sources that are\n"
	"                 found below DIR\n"
	"  --title=TEXT   the page's title, instead of the command traced\n"
	"  --strict       bad lines are status 2\n"
	"  -o, --output=FILE  write to a file; a terminal is refused\n"
	"  --quiet        only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 the page is written, whatever it says (ask ct-lostwake for a status);\n"
	"2 usage or unusable input; 3 written, but nothing was recorded.\n\n"
	"example: ct-record ./app | ct-html > trace.html\n";

enum { DETAIL = 400000 };
static struct ctt_common opt = { .product = CTT_FILE_ONLY, .grace = CTT_JUDGE_GRACE_NS };
static uint64_t detail = DETAIL;
static const char *title = "";

static bool own_option(int letter, const char *arg)
{
	if (letter == 's')
		return source_below(arg);
	if (letter == 't')
		title = arg;
	return letter == 't' || ctt_parse_number(arg, 1, 1 << 24, &detail);
}

static const struct option options[] = { { "detail", required_argument, NULL, 'd' }, CTT_OPT_GRACE,
	{ "source", required_argument, NULL, 's' },
	{ "title", required_argument, NULL, 't' }, CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { NAME, help, options, own_option };

static struct ctt_judges judges;
/* written: those before it are in the page, and given back */
static struct {
	struct run **run;
	uint32_t count, written;
	size_t room;
} runs;

static void note_bad(void *arg, const struct ctt_event *ev, const char *why)
{
	ctt_judges_bad(arg, ev, why);
	if (runs.count)
		run_bad(runs.run[judges.last], ev, why);
}

static struct run *run_of(struct ctt_trace *in, uint32_t i)
{
	while (i >= runs.count) {
		const char *where = ctt_trace_where(in, 1), *colon = strrchr(where, ':');

		ROOM(runs.run, runs.count, runs.room);
		runs.run[runs.count] = need(malloc(sizeof(**runs.run)));
		run_begin(runs.run[runs.count], ctt_judges_get(&judges, runs.count), (size_t)detail,
			runs.count);
		runs.run[runs.count]->source = need(strndup(where, (size_t)(colon - where)));
		runs.count++;
	}
	return runs.run[i];
}

/* The template up to the runs, or from there to its end, with what stands for @...@ put in its place. */
static void template(void)
{
	static const char *p = html_page;
	const char *at;

	for (; (at = strchr(p, '@')); p = strchr(at + 1, '@') + 1) {
		fwrite(p, 1, (size_t)(at - p), stdout);
		if (!strncmp(at, "@css@", 5)) {
			fputs(html_css, stdout);
		} else if (!strncmp(at, "@js@", 4)) {
			fputs(html_js, stdout);
		} else if (!strncmp(at, "@title@", 7)) {
			page_attribute(stdout, title);
		} else if (!strncmp(at, "@data@", 6)) {
			p = at + 6;
			return;
		}
	}
	fputs(p, stdout);
}

/* The next run, which is over, into the page. */
static void write_run(struct ctt_trace *in)
{
	uint32_t i = runs.written++;
	struct page g = { .run = runs.run[i], .number = i + 1, .facts = ctt_trace_run(in, i) };

	if (!i)
		template();
	run_finish(g.run, g.facts);
	page_write(&g, stdout, opt.grace);
	run_free(g.run);
	free(g.run);
	ctt_judges_drop(&judges, i);
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct ctt_trace *in = ctt_trace_open(files, program.name);
	struct ctt_event ev;
	struct ctt_coro *c;
	struct run *r;

	ctt_trace_set(in, opt.flags);
	ctt_trace_on_bad(in, note_bad, &judges);
	ctt_judges_read(&judges, in);
	while (ctt_trace_next(in, &ev)) {
		r = run_of(in, ev.run);
		c = run_before(r, &ev);
		ctt_judges_apply(&judges, &ev);
		run_after(r, &ev, c);
		/* To a run that a meta line began nothing comes once another has begun. */
		while (runs.written < ev.run && ctt_trace_run(in, runs.written)->meta)
			write_run(in);
	}
	ctt_judges_end(&judges);
	while (runs.written < runs.count)
		write_run(in);
	if (runs.count)
		template();
	free(runs.run);
	ctt_judges_free(&judges);
	return ctt_trace_finish(in, 0);
}
