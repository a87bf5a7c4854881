/* timeline.c - a trace as tracks with slices, instants and counters. Contracts in timeline.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "fold/timeline.h"

struct buf tl_out;

static struct common opt = { .grace = JUDGE_GRACE_NS };
static struct { struct tl_run **run; uint32_t count; } runs;

void tl_flush(void)
{
	if (tl_out.len)
		fwrite(tl_out.p, 1, tl_out.len, stdout);
	tl_out.len = 0;
}

/* ---- a run ---- */

static uint64_t wall_of(const struct event *ev)
{
	static const char key[] = "\"wall\":";
	char digits[24];
	uint64_t wall;

	for (size_t i = 0; ev->kind == EV_META && i + sizeof(key) + 1 < ev->raw_len; i++)
		if (!memcmp(ev->raw + i, key, sizeof(key) - 1)) {
			const char *p = ev->raw + i + sizeof(key) - 1;
			size_t len = 0;

			while (len < sizeof(digits) - 1 && p + len < ev->raw + ev->raw_len && p[len] >= '0' && p[len] <= '9')
				len++;
			memcpy(digits, p, len);
			digits[len] = '\0';
			return parse_number(digits, 0, INT64_MAX, &wall) ? wall : 0;
		}
	return 0;
}

static struct tl_run *run_of(uint32_t run)
{
	while (run >= runs.count) {
		struct tl_run **grown = realloc(runs.run, (runs.count + 1) * sizeof(*grown)), *r = calloc(1, sizeof(*r));

		if (!grown || !r)
			die("corotrace", "out of memory", NULL);
		runs.run = grown;
		r->run = runs.count;
		runs.run[runs.count++] = r;
		tl_start(r);
	}
	return runs.run[run];
}

static void start(const struct event *ev)
{
	static bool started;

	if (started || !ev->ts || ev->ts >= TL_LATE)
		return;
	started = true;
	tl_writer->begin(ev->ts, wall_of(ev));
	if (opt.from.set)
		tl_from = when_ns(&opt.from, ev->ts);
	if (opt.to.set)
		tl_to = when_ns(&opt.to, ev->ts);
}

/* ---- the end ---- */

static void finish(struct tl_run *r, struct judge *j, struct trace *in)
{
	const struct trace_run *facts = trace_run(in, r->run);
	struct model *m = r->spans.model;
	const struct finding *f;
	struct coro *c;
	size_t n;

	spans_finish(&r->spans, model_last_ts(m), !model_lost(m) && !facts->bad && !facts->cut);
	tl_end(r);
	if (!facts->ended && !facts->v1)
		tl_befall(r, r->pid, model_last_ts(m), C_LOST, "no end line: the trace was cut off");
	f = judge_findings(j, facts, opt.grace, &n);
	for (size_t i = 0; i < n; i++)
		tl_finding(r, j, &f[i]);
	for (size_t i = 0; (c = model_next(m, &i));)
		tl_coro_end(r, c, NULL);
}

static void run_free(struct tl_run *r)
{
	for (size_t i = 0; i < r->threads.count; i++)
		free(((struct tl_thread *)table_at(&r->threads, i))->open);
	table_free(&r->threads);
	table_free(&r->processes);
	table_free(&r->groups);
	spans_free(&r->spans);
	free(r);
}

static void say(const char *program, uint64_t n, const char *what)
{
	if (n && !(opt.flags & TRACE_QUIET))
		fprintf(stderr, "%s: %" PRIu64 " %s\n", program, n, what);
}

int timeline_main(int argc, char *argv[], const struct timeline_program *p)
{
	char **files = common_parse(argc, argv, p->program, &opt);
	struct trace *in = trace_open(files, p->program->name);
	struct judges judges = { 0 };
	struct event ev;

	tl_writer = p->writer;
	trace_set(in, opt.flags | TRACE_STREAMS);
	trace_on_bad(in, judges_bad, &judges);
	while (trace_next(in, &ev) && !ferror(stdout)) {
		start(&ev);
		judges_apply(&judges, &ev);
		tl_apply(run_of(ev.run), &ev);
	}
	judges_end(&judges);
	for (uint32_t i = 0; i < runs.count; i++) {
		finish(runs.run[i], judges_get(&judges, i), in);
		say(p->program->name, runs.run[i]->spans.unknown, "stretches with lines missing in them: state unknown");
		say(p->program->name, runs.run[i]->disordered, "stretches out of order: left out");
		run_free(runs.run[i]);
	}
	say(p->program->name, tl_late, "events from 2^62 ns on: left out");
	judges_free(&judges);
	free(runs.run);
	tl_names_free();
	if (trace_stats(in)->lines)
		p->end();
	tl_flush();
	free(tl_out.p);
	return trace_finish(in, 0);
}
