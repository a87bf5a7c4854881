/* ct-check - the health of a trace: what is bad, missing, out of order or cut off, and where; one
 * summary a run.
 *
 * in:	{"probe_id":7,"tid":4711,...,"ev":"suspend","n":9,...}	(n was 4 in the line before)
 * out:	<stdin>:12: coroutine 7: events are missing: n jumps from 4 to 9
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "probe.h"

static const char help[] =
	"usage: ct-check [options] [trace ...]\n"
	"       ct-check --probe [--timeout=TIME] [--] driver [argument ...]\n"
	"Tell the health of a trace: every bad line and why, events lost and where,\n"
	"numbering or order broken, runs put into one file, a missing end. One line a\n"
	"problem, then a summary of each run. Or tell which promises of ctp(7) a probe\n"
	"keeps, whose driver takes commands on its standard input: one line a promise.\n\n"
	"  --json          problems, runs and promises as JSON lines\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages on stderr\n"
	"  --probe         check a probe: run its driver under ct-record\n"
	"  --timeout=TIME  how long to wait for an answer of it (default 20s)\n"
	"  --help, --version\n\n"
	"Status: 0 healthy, 1 not, 2 usage or unusable input, 3 nothing was recorded.\n\n"
	"example: ct-record ./app | tee trace.jsonl | ct-check\n"
	"         ct-check --probe -- python3 driver.py\n";

enum { OPT_PROBE = 1, OPT_TIMEOUT };
static const struct option options[] = { CTT_OPT_JSON, CTT_OPT_ALWAYS,
	{ "probe", no_argument, NULL, OPT_PROBE },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT }, CTT_OPT_END };

static bool probe, has_timeout;
static uint64_t timeout_ns = 20000000000u;

static bool option(int letter, const char *arg)
{
	if (letter == OPT_PROBE)
		return probe = true;
	has_timeout = true;
	return ctt_parse_duration(arg, &timeout_ns) && timeout_ns && timeout_ns < 86400000000000u;
}

static const struct ctt_program program = { "ct-check", help, options, option };

static struct ctt_common opt = { .product = CTT_PROSE };
static struct ctt_trace *in;
static struct tally *tallies;
static uint32_t runs;
static size_t tally_room;

static const char *const problem_names[PROBLEMS] = {
	[P_BAD] = "bad",
	[P_GAP] = "gap",
	[P_BACK] = "number",
	[P_TIME] = "time",
	[P_STATE] = "state",
	[P_LOST] = "lost",
	[P_END] = "end",
};

static void put(const char *s)
{
	ctt_out_text(stdout, s, strlen(s));
}

static void json_problem(uint32_t run, const struct ctt_event *ev, enum problem p, uint64_t from,
	uint64_t to, const char *what)
{
	const char *where = ctt_trace_where(in, ev->line);

	printf("{\"check\":\"%s\",\"line\":%" PRIu64 ",\"where\":", problem_names[p], ev->line);
	ctt_out_json(stdout, where, strlen(where));
	if (p != P_BAD)		/* a bad line's run is anyone's guess */
		printf(",\"run\":%" PRIu32, run + 1);
	if (p != P_BAD && ev->probe_id)
		printf(",\"probe_id\":%" PRIu64, ev->probe_id);
	if (p == P_LOST)
		printf(",\"tid\":%" PRIu64 ",\"count\":%" PRIu64, ev->tid, ev->lost.count);
	if (p != P_BAD && (from || to))
		printf(",\"from\":%" PRIu64 ",\"to\":%" PRIu64, from, to);
	fputs(",\"what\":", stdout);
	ctt_out_json(stdout, what, strlen(what));
	fputs("}\n", stdout);
}

static void note(struct tally *t, const struct ctt_event *ev, enum problem p, uint64_t from,
	uint64_t to, const char *what)
{
	t->problems[p]++;
	if (opt.json) {
		json_problem(t->run, ev, p, from, to, what);
		return;
	}
	put(ctt_trace_where(in, ev->line));
	if (p == P_LOST && ev->has & CTT_HAS_TID)
		printf(": thread %" PRIu64, ev->tid);
	else if (ev->probe_id)
		printf(": coroutine %" PRIu64, ev->probe_id);
	printf(": %s", what);
	if (p == P_LOST)
		printf(": %" PRIu64 " between %" PRIu64 " and %" PRIu64, ev->lost.count, from, to);
	else if (p == P_END)
		printf(": %" PRIu64 ", not %" PRIu64, to, from);
	else if (from || to)
		printf(" from %" PRIu64 " to %" PRIu64, from, to);
	putchar('\n');
}

static void note_bad(void *arg, const struct ctt_event *ev, const char *why)
{
	(void)arg;

	if (opt.json) {
		json_problem(0, ev, P_BAD, 0, 0, why);
		return;
	}
	put(ctt_trace_where(in, ev->line));
	printf(": %s\n", why);
}

static struct tally *tally_of(uint32_t run)
{
	while (runs <= run) {
		ROOM(tallies, runs, tally_room);
		tallies[runs] = (struct tally){ .run = runs };
		runs++;
	}
	return &tallies[run];
}

static const char *version(const struct tally *t)
{
	return t->v1 && t->v2 ? "1 and 2" : t->v1 ? "1" : t->v2 || t->other ? "2" : "none";
}

/* In an old engine's trace; only one of the two readings of seq can be right. A late line fills a
 * gap. */
static uint64_t seq_missing(const struct tally *t, uint64_t *gaps, uint64_t *first)
{
	uint64_t missing = t->odd_seq ? t->number_missing : t->slot_missing;

	*gaps = t->odd_seq ? t->number_gaps : t->slot_gaps;
	*first = t->odd_seq ? t->number_first : t->slot_first;
	return missing > t->late ? missing - t->late : 0;
}

/* 0 healthy, 1 not, 3: there is nothing to say so of. */
static int health(const struct tally *t, const struct ctt_trace_run *r)
{
	uint64_t gaps, first, bad = r->bad + t->late + seq_missing(t, &gaps, &first);

	for (int p = 0; p < PROBLEMS; p++)
		bad += t->problems[p];
	if (bad || r->cut || ctt_trace_headless(r) || !(r->v1 || r->ended))
		return 1;
	return ctt_trace_nothing(r) ? 3 : 0;
}

static void print_v1(const struct tally *t)
{
	uint64_t gaps, first, missing = seq_missing(t, &gaps, &first);

	if (t->by_seq)
		printf("  seq is %s\n",
			t->odd_seq ? "the event's number: 1, 2, 3" :
				     "the slot's: 8 events share one");
	if (missing)
		printf("  %" PRIu64 " events missing by seq, which jumps %" PRIu64
		       " times, first at line %" PRIu64 "\n",
			missing, gaps, first);
	if (t->late)
		printf("  %" PRIu64
		       " lines stand after later ones of their coroutine, the first at line %" PRIu64
		       "\n",
			t->late, t->late_first);
	if (t->reused)
		printf("  %" PRIu64 " addresses used again, the first at line %" PRIu64 "\n",
			t->reused, t->reused_first);
}

static void print_run(const struct tally *t, const struct ctt_trace_run *r)
{
	static const char *const words[] = { "healthy", "not healthy", "", "empty" };
	char span[24];

	printf("run %" PRIu32 " of %" PRIu32 ": version %s, %" PRIu64 " lines, %" PRIu64
	       " events of %" PRIu64 " coroutines (%" PRIu64 " live at the end), %s: %s\n",
		t->run + 1, runs, version(t), r->lines, t->events, t->coroutines, t->live,
		ctt_out_duration(span, r->last_ts - r->first_ts), words[health(t, r)]);
	if (ctt_trace_headless(r))
		printf("  %s\n", ctt_trace_headless(r));
	if (!r->v1 && !r->ended)
		puts("  no end line: the trace was cut off");
	if (ctt_trace_nothing(r))
		printf("  %s\n", ctt_trace_nothing(r));
	if (r->cut)
		puts("  a filter left lines out: whether others are missing cannot be known");
	if (r->bad)
		printf("  %" PRIu64 " bad lines\n", r->bad);
	if (t->overwritten)
		printf("  %" PRIu64
		       " events are older than what the box still held when it was attached to\n",
			t->overwritten);
	if (t->lost > t->overwritten)
		printf("  %" PRIu64 " events lost by the recorder's own account\n",
			t->lost - t->overwritten);
	if (t->missing)
		printf("  %" PRIu64 " events missing by their numbers, in %" PRIu64 " gap%s\n",
			t->missing, t->problems[P_GAP], t->problems[P_GAP] == 1 ? "" : "s");
	if (t->problems[P_BACK] + t->problems[P_TIME] + t->problems[P_STATE])
		printf("  order broken: n %" PRIu64 " times, time %" PRIu64 ", states %" PRIu64
		       "\n",
			t->problems[P_BACK], t->problems[P_TIME], t->problems[P_STATE]);
	print_v1(t);
	if (t->unknown_wakes)
		printf("  %" PRIu64 " wakes of coroutines that are gone or were never seen\n",
			t->unknown_wakes);
}

static void json_run(const struct tally *t, const struct ctt_trace_run *r)
{
	uint64_t gaps, first, missing = seq_missing(t, &gaps, &first);

	printf("{\"check\":\"run\",\"run\":%" PRIu32
	       ",\"healthy\":%s,\"version\":\"%s\",\"meta\":%s,\"ended\":%s,\"lines\":%" PRIu64
	       ",\"bad\":%" PRIu64 ",\"events\":%" PRIu64 ",\"coroutines\":%" PRIu64
	       ",\"live\":%" PRIu64 ",\"first_ts\":%" PRIu64 ",\"last_ts\":%" PRIu64
	       ",\"lost\":%" PRIu64 ",\"missing\":%" PRIu64,
		t->run + 1, !health(t, r) ? "true" : "false", version(t),
		r->meta ? "true" : "false", r->ended ? "true" : "false", r->lines, r->bad,
		t->events, t->coroutines, t->live, r->first_ts, r->last_ts, t->lost,
		t->missing + missing);
	for (int p = P_GAP; p < PROBLEMS; p++)
		if (p != P_LOST)
			printf(",\"%s\":%" PRIu64, problem_names[p], t->problems[p]);
	if (ctt_trace_nothing(r))
		printf(",\"nothing\":\"%s\"", ctt_trace_nothing(r));
	if (r->cut)
		fputs(",\"cut\":true", stdout);
	if (t->attached)
		printf(",\"overwritten\":%" PRIu64, t->overwritten);
	if (t->by_seq)
		printf(",\"seq\":\"%s\"", t->odd_seq ? "event" : "slot");
	printf(",\"late\":%" PRIu64 ",\"reused\":%" PRIu64 ",\"unknown_wakes\":%" PRIu64 "}\n",
		t->late, t->reused, t->unknown_wakes);
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct order *order;
	struct ctt_event ev;
	int status = 0;

	if (has_timeout && !probe)
		ctt_die(program.name, "--timeout is for --probe", NULL);
	if (probe && !files[0])
		ctt_die(program.name, "--probe needs a driver", NULL);
	if (probe)
		return check_probe(files, argv[0], timeout_ns, opt.json);
	order = order_new(note);
	in = ctt_trace_open(files, program.name);
	/* what it would say on stderr stands on stdout */
	ctt_trace_set(in, opt.flags | CTT_TRACE_QUIET);
	ctt_trace_on_bad(in, note_bad, NULL);
	while (ctt_trace_next(in, &ev))
		order_apply(order, tally_of(ev.run), &ev);
	for (uint32_t i = 0; i < runs; i++) {
		const struct ctt_trace_run *r = ctt_trace_run(in, i);
		int s = health(&tallies[i], r);

		status = ctt_status_fold(status, s);
		if (opt.json)
			json_run(&tallies[i], r);
		else
			print_run(&tallies[i], r);
	}
	order_free(order);
	free(tallies);
	return ctt_trace_finish(in, status);
}
