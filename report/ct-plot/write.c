/* write.c - a gnuplot program: what it is about, the data, then the text of share/gnuplot.
 * Contracts in plot.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "plot.h"
#include "tool/terminal.h"
#include "plot.inc"

const char *const kind_names[KINDS] = { "states", "throughput", "waits", "delay", "heatmap",
	"queues" };

/* The unit in which the axis has numbers of few digits. */
static double unit_of(uint64_t span, const char **name)
{
	static const struct { double from, ns; const char *name; } units[] = {
		{ 0, 1, "ns" }, { 1e3, 1e3, "us" }, { 1e6, 1e6, "ms" }, { 1e9, 1e9, "s" },
		{ 6e11, 6e10, "min" },
		{ 7.2e12, 3.6e12, "h" },
	};
	size_t i = 0;

	while (i < 5 && (double)span >= units[i + 1].from)
		i++;
	*name = units[i].name;
	return units[i].ns;
}

static void terminal(FILE *f, enum term term)
{
	static const char *const terms[] = {
		[SVG] = "svg size 960,540 dynamic background rgb 'white' font 'sans,14' noenhanced",
		[PNG] = "pngcairo size 1280,720 background rgb 'white' font 'sans,12' noenhanced",
		[PDF] = "pdfcairo size 25cm,14cm background rgb 'white' font 'sans,11' noenhanced",
	};
	const char *no = getenv("NO_COLOR");
	struct terminal size;

	if (term != ANSI) {
		fprintf(f, "set terminal %s\n", terms[term]);
		return;
	}
	size = terminal_size();
	fprintf(f, "set terminal dumb nofeed size %zu,%zu %s noenhanced\n",
		!size.columns ? 100 : size.columns < 400 ? size.columns : 400,
		(!size.lines ? 30 : size.lines < 200 ? size.lines : 200) - 1,
		no && *no ? "mono" : "ansi256");
}

/* What is said above the picture: of which trace it is, and in a line of its own what is missing
 * there. */
static void note(FILE *f, const struct plot *p, const char *source)
{
	char text[200], span[24];

	snprintf(text, sizeof(text), ": %" PRIu64 " coroutine%s, %" PRIu64 " event%s in %s",
		p->coroutines, p->coroutines == 1 ? "" : "s", p->events, p->events == 1 ? "" : "s",
		ctt_out_duration(span, p->axis.end - p->axis.start));
	fputs("note = ", f);
	plot_string(f, source, 60);
	fprintf(f, ".'%s'\n", text);
}

static void missing(FILE *f, const struct plot *p, const struct ctt_trace_run *r)
{
	char span[24];

	fputs("missing = '", f);
	if (ctt_model_lost(p->spans.model))
		fprintf(f, "%" PRIu64 " events lost%s%s; ", ctt_model_lost(p->spans.model),
			ctt_model_astray(p->spans.model) ? " or out of place" : "",
			p->kind == WAITS || p->kind == HEATMAP ? "" : " (grey)");
	if (!r->v1 && !r->ended)
		fprintf(f, "cut off at %s; ", ctt_out_duration(span, p->axis.end - p->axis.start));
	if (r->bad)
		fprintf(f, "%" PRIu64 " bad lines; ", r->bad);
	if (r->cut)
		fputs("a filter left lines out; ", f);
	if (p->spans.unknown && p->kind != THROUGHPUT)	/* that counts lines */
		fprintf(f, "%" PRIu64 " stretches not known, left out; ", p->spans.unknown);
	fputs("'\n", f);
}

static void shade_losses(FILE *f, const struct plot *p, double unit)
{
	for (size_t b = 0, e; b < axis_used(&p->axis); b = e + 1) {
		for (e = b; e < axis_used(&p->axis) && p->lost[e]; e++)
			;
		if (e > b)
			fprintf(f,
				"set object rectangle from first %.9g, graph 0 to first %.9g, graph 1 behind fillcolor rgb "
				"'#cccccc' fillstyle solid noborder\n",
				(double)(b * p->axis.width) / unit,
				(double)(e * p->axis.width) / unit);
	}
}

static const char *nothing(enum kind k)
{
	switch (k) {
	case WAITS:	return "no coroutine of this trace waited";
	case DELAY:	return "this trace has no wake that was followed by a resume";
	case HEATMAP:	return "no coroutine of this trace ran";
	case QUEUES:	return "this trace has no queue";
	default:	return "this trace has no coroutine";
	}
}

void plot_write(
	FILE *f, struct plot *p, enum term term, const char *source, const struct ctt_trace_run *r)
{
	static const char *const programs[KINDS] = { plot_states, plot_throughput, plot_waits,
		plot_delay, plot_heatmap, plot_queues };
	uint64_t ns = p->axis.end - p->axis.start;
	const char *name;
	double unit = unit_of(ns, &name);

	fprintf(f, "# made by ct-plot %s %s; gnuplot 5.2 or later\nreset\n", CT_VERSION,
		kind_names[p->kind]);
	if (term == ANSI)
		plot_coarsen(p, 80);
	terminal(f, term);
	fprintf(f, "ansi = %d\nunit = '%s'\nspan = %.9g\n", term == ANSI, name,
		ns ? (double)ns / unit : 1);
	note(f, p, source);
	missing(f, p, r);
	if (!p->seen) {
		fprintf(f, "why = '%s'\n%s%s", nothing(p->kind), plot_common, plot_nothing);
		return;
	}
	plot_data(f, p, unit);
	fputs(plot_common, f);
	if (p->kind != WAITS && p->kind != HEATMAP)
		shade_losses(f, p, unit);
	fputs(programs[p->kind], f);
}
