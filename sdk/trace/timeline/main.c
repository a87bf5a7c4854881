/* main.c - a trace as tracks with slices, instants and counters. Contracts in timeline.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stdout.h"
#include "timeline/timeline.h"
#include "tool/span.h"

const struct option timeline_options[] = { CTT_OPT_GRACE, CTT_OPT_FROM, CTT_OPT_TO,
	CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END };
struct buf tl_out;

static struct ctt_common opt = { .product = CTT_FILE_ONLY, .grace = CTT_JUDGE_GRACE_NS };
/* finished: those before it are written, and given back */
static struct { struct tl_run **run; uint32_t count, finished; size_t room; } runs;
static struct ctt_judges judges;

void tl_flush(void)
{
	if (tl_out.len)
		stdout_put(tl_out.p, tl_out.len);
	tl_out.len = 0;
}

/* ---- a run ---- */

static uint64_t wall_of(const struct ctt_event *ev)
{
	struct ctt_text value = ctt_member(ev, "wall");
	char digits[24];
	uint64_t wall;

	snprintf(digits, sizeof(digits), "%.*s", (int)value.len, value.p ? value.p : "");
	return ctt_parse_number(digits, 0, INT64_MAX, &wall) ? wall : 0;
}

static struct tl_run *run_of(uint32_t run)
{
	while (run >= runs.count) {
		struct tl_run *r = need(calloc(1, sizeof(*r)));

		r->run = runs.count;
		r->judges = &judges;
		*ADD(runs.run, runs.count, runs.room) = r;
		tl_start(r);
	}
	return runs.run[run];
}

static void start(const struct ctt_event *ev)
{
	static bool started;

	if (started || !ev->ts || ev->ts >= TL_LATE)
		return;
	started = true;
	tl_writer->begin(ev->ts, wall_of(ev));
	if (opt.from.set)
		tl_from = ctt_when_ns(&opt.from, ev->ts);
	if (opt.to.set)
		tl_to = ctt_when_ns(&opt.to, ev->ts);
}

/* ---- the end of one ---- */

static void judge(struct tl_run *r, struct ctt_judge *j, struct ctt_trace *in)
{
	const struct ctt_trace_run *facts = ctt_trace_run(in, r->run);
	struct ctt_model *m = r->spans.model;
	const struct ctt_finding *f;
	struct ctt_coro *c;
	size_t n;

	spans_finish(
		&r->spans, ctt_model_last_ts(m), !ctt_model_lost(m) && !facts->bad && !facts->cut);
	tl_end(r);
	if (!facts->ended && !facts->v1)
		tl_befall(r, r->pid, ctt_model_last_ts(m), C_LOST,
			"no end line: the trace was cut off");
	f = ctt_judge_findings(j, facts, opt.grace, &n);
	for (size_t i = 0; i < n; i++)
		tl_finding(r, j, &f[i]);
	for (size_t i = 0; (c = ctt_model_next(m, &i));)
		tl_coro_end(r, c, NULL);
}

static void run_free(struct tl_run *r)
{
	tl_threads_free(r);
	table_free(&r->processes);
	table_free(&r->groups);
	spans_free(&r->spans);
	free(r);
}

static void say(const char *program, uint64_t n, const char *what)
{
	if (n && !(opt.flags & CTT_TRACE_QUIET))
		fprintf(stderr, "%s: %" PRIu64 " %s\n", program, n, what);
}

static void waits(void *arg, bool begins)
{
	(void)arg;
	if (begins)
		tl_flush();
}

/* The next run, which is over. */
static void finish(struct ctt_trace *in, const char *program)
{
	uint32_t i = runs.finished++;
	struct tl_run *r = runs.run[i];

	judge(r, ctt_judges_get(&judges, i), in);
	say(program, r->spans.unknown, "stretches with lines missing in them: state unknown");
	say(program, r->disordered, "stretches out of order: left out");
	run_free(r);
	ctt_judges_drop(&judges, i);
}

int timeline_main(int argc, char *argv[], const struct timeline_program *p)
{
	char **files = ctt_common_parse(argc, argv, p->program, &opt);
	struct ctt_trace *in = ctt_trace_open(files, p->program->name);
	struct ctt_event ev;

	tl_writer = p->writer;
	ctt_trace_set(in, opt.flags | CTT_TRACE_STREAMS);
	ctt_trace_on_bad(in, ctt_judges_bad, &judges);
	ctt_judges_read(&judges, in);
	ctt_trace_on_wait(in, waits, NULL);
	while (ctt_trace_next(in, &ev) && !ferror(stdout)) {
		start(&ev);
		tl_apply(run_of(ev.run), &ev);
		/* To a run that a meta line began nothing comes once another has begun. */
		while (runs.finished < ev.run && ctt_trace_run(in, runs.finished)->meta)
			finish(in, p->program->name);
	}
	ctt_judges_end(&judges);
	while (runs.finished < runs.count)
		finish(in, p->program->name);
	say(p->program->name, tl_late, "events from 2^62 ns on: left out");
	ctt_judges_free(&judges);
	free(runs.run);
	tl_names_free();
	tl_sites_free();
	if (ctt_trace_stats(in)->lines)
		p->end();
	tl_flush();
	free(tl_out.p);
	return ctt_trace_finish(in, span_status(&opt, in, p->program->name, 0));
}
