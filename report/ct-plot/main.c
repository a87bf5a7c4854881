/* ct-plot - draw a trace: states over time, throughput, waiting times by site, scheduling delay,
 * busy workers, queues.
 *
 * in:	{"probe_id":7,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 * out:	a gnuplot program with its data; or, with -o, the picture
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plot.h"
#include "tool/span.h"

static const char help[] =
	"usage: ct-plot KIND [options] [trace ...]\n"
	"Draw a trace with gnuplot. KIND is\n"
	"  states      coroutines by state over time\n"
	"  throughput  resumes, wakes, creates and ends a second\n"
	"  waits       how long coroutines waited, by site\n"
	"  delay       from wake to resume, over time\n"
	"  heatmap     how busy each thread was\n"
	"  queues      runnable coroutines, and the lengths that the program declares\n"
	"Without -o the program for gnuplot is printed, with its data: ... | gnuplot\n"
	">states.svg\n\n"
	"  -o, --output=FILE  run gnuplot; FILE ends in .svg, .png or .pdf\n"
	"  --term=TERM     svg (default), png, pdf: the program is for that; ansi: draw\n"
	"                  in this terminal\n"
	"  --from=TIME     from that moment: +1.5s from the run's start, or ns\n"
	"  --to=TIME       up to that moment\n"
	"  --run=N         where the trace holds several runs, the Nth (default 1)\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0; 2 usage, unusable input, gnuplot not there or failed; 3 nothing was\n"
	"recorded.\n\n"
	"example: ct-plot states -o states.svg trace.jsonl; ct-plot delay --term=ansi \\\n"
	"         <trace.jsonl\n";

static struct ctt_common opt;
static const char *output;
static enum term term = SVG;
static bool term_set;
static uint64_t run = 1;

static bool set_term(const char *name)
{
	static const char *const names[] = {
		[SVG] = "svg", [PNG] = "png", [PDF] = "pdf", [ANSI] = "ansi"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			term = (enum term)i;
			return true;
		}
	return false;
}

static bool own_option(int letter, const char *arg)
{
	switch (letter) {
	case 'o':
		output = arg;
		return *arg;
	case 't':
		term_set = true;
		return set_term(arg);
	default:
		return ctt_parse_number(arg, 1, UINT32_MAX, &run);
	}
}

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "term", required_argument, NULL, 't' }, CTT_OPT_FROM, CTT_OPT_TO,
	{ "run", required_argument, NULL, 'r' }, CTT_OPT_ALWAYS, CTT_OPT_END
};
static const struct ctt_program program = { "ct-plot", help, options, own_option };

static enum kind kind_of(const char *name)
{
	if (!name)
		ctt_die(program.name, "which KIND of plot?",
			"states, throughput, waits, delay, heatmap or queues");
	for (int k = 0; k < KINDS; k++)
		if (!strcmp(name, kind_names[k]))
			return (enum kind)k;
	ctt_die(program.name, name,
		"no kind of plot; there are states, throughput, waits, delay, heatmap and queues");
}

static void check_output(void)
{
	const char *dot = output ? strrchr(output, '.') : NULL;

	if (!output)
		return;
	if (term_set)
		ctt_die(program.name, "--term", "the name after -o says what is written");
	if (!dot || !set_term(dot + 1) || term == ANSI)
		ctt_die(program.name, output, "its name does not end in .svg, .png or .pdf");
}

static struct plot *begin(enum kind kind, uint64_t first_ts)
{
	uint64_t from = opt.from.set ? ctt_when_ns(&opt.from, first_ts) : 0;
	uint64_t to = opt.to.set ? ctt_when_ns(&opt.to, first_ts) : UINT64_MAX;

	if (from >= to)
		ctt_die(program.name, "--to", "not after --from");
	return plot_new(kind, from, to);
}

/* The source's name, as messages have it. */
static char *source_of(struct ctt_trace *in)
{
	char *where = need(strdup(ctt_trace_where(in, 1)));

	*strrchr(where, ':') = '\0';
	return where;
}

static bool draw(struct plot *p, const char *source, const struct ctt_trace_run *r)
{
	FILE *f = output || term == ANSI ? tmpfile() : stdout;
	bool good = true;

	if (!f)
		ctt_die(program.name, "temporary file", strerror(errno));
	plot_write(f, p, term, source, r);
	if (f != stdout) {
		good = plot_run(f, output);
		fclose(f);
	}
	return good;
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt), *source = NULL;
	enum kind kind = kind_of(files ? *files : NULL);
	struct plot *p = NULL;
	struct ctt_event ev;
	struct ctt_trace *in;
	int status = 0;

	check_output();
	in = ctt_trace_open(files + 1, program.name);
	ctt_trace_set(in, opt.flags);
	while (ctt_trace_next(in, &ev)) {
		if (ev.run + 1 != run)
			continue;
		if (!p && (ev.ts || !(opt.from.set || opt.to.set))) {
			p = begin(kind, ev.ts);
			source = source_of(in);
		}
		if (p)
			plot_apply(p, &ev);
	}
	if (ctt_trace_stats(in)->runs && run > ctt_trace_stats(in)->runs)
		ctt_die(program.name, "--run", "the trace holds fewer");
	if (ctt_trace_stats(in)->runs > 1 && !(opt.flags & CTT_TRACE_QUIET))
		fprintf(stderr, "ct-plot: %u runs; this is run %u\n",
			(unsigned)ctt_trace_stats(in)->runs, (unsigned)run);
	if (p) {
		plot_end(p, ctt_trace_run(in, (uint32_t)run - 1));
		status = draw(p, source, ctt_trace_run(in, (uint32_t)run - 1)) ? 0 : 2;
		plot_free(p);
	}
	free(source);
	return ctt_trace_finish(in, span_status(&opt, in, program.name, status));
}
