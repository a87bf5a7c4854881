/* ct-lostwake - say which coroutines lost their wakeup, and show the evidence.
 *
 * in:	{"probe_id":7,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 *	{"ev":"close","ts":..,"tid":4711,"on":"fd:42","site":4}
 * out:	1 coroutine: closed-resource (proven): serve serve.cc:42, on fd
 *	  what they wait on was closed and nobody woke them
 *	  coroutine 7 "conn" waits on fd:42 for 2.01s; closed at +1.203000s by thread 4711 (reactor serve.cc:98) [lines ..]
 */
#include <inttypes.h>

#include "cttrace.h"

static const char help[] =
	"usage: ct-lostwake [options] [trace ...]\n"
	"Find the coroutines that will never run again: closed-resource, missed-wake, dropped-wake, asleep-workers,\n"
	"ready-resource, dead-awaitee, dead-owner, lost-waker, deadlock; and those that look it: straggler, silent.\n"
	"Proven: the cause is older than the grace and nothing is missing that could undo it.\n"
	"Suspected: a piece of evidence is missing.\n"
	"Unknown: events were lost, or the trace was cut, where the resume could be.\n\n"
	"  --allow=FILE    places that may wait for ever: a regular expression a line, as --site has it; # begins a comment\n"
	"  --grace=DUR     a cause younger than this accuses nobody (default 100ms)\n"
	"  --min-age=DUR   only findings at least so old\n"
	"  --site=REGEX    only those waiting at a matching place (\"serve serve.cc:42\")\n"
	"  --name=REGEX    only those with a matching name\n"
	"  --proven-only   print and count only what is proven, or unknown\n"
	"  --json          one JSON line a finding\n"
	"  --color=WHEN    auto, always, never\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 nothing found; 1 something proven or suspected (--proven-only: proven); 2 usage or unusable input;\n"
	"3 inconclusive: only unknown findings, or none in a trace that misses events.\n\n"
	"example: ct-record ./app | tee trace.jsonl | ct-lostwake\n";

static struct common opt = { .grace = JUDGE_GRACE_NS };
static bool proven_only;

static bool own_option(int letter, const char *arg)
{
	(void)letter; (void)arg;
	return proven_only = true;
}

static const struct option options[] = {
	OPT_ALLOW, OPT_GRACE, OPT_MIN_AGE, OPT_SITE, OPT_NAME, { "proven-only", no_argument, NULL, 'p' }, OPT_JSON,
	OPT_COLOR, OPT_ALWAYS, OPT_END
};
static const struct program program = { "ct-lostwake", help, options, own_option };

static bool wanted(const struct model *m, const struct finding *f)
{
	return !(proven_only && f->certainty == SUSPECTED) && common_wants_finding(&opt, m, f);
}

static void print_header(const struct model *m, const struct finding *f, size_t n)
{
	static const char *const colors[] = { "\033[1;31m", "\033[1;33m", "\033[1;36m" };
	const char *what = f->cycle ? n == 1 ? "circle" : "circles" : n == 1 ? "coroutine" : "coroutines";
	char site[512];

	printf("%s%zu %s: %s (%s)%s", opt.color ? colors[f->certainty] : "", n, what, verdict_name(f->verdict),
		certainty_name(f->certainty), opt.color ? "\033[0m" : "");
	if (f->coro->site)
		printf(": %s", place_text(site, sizeof(site), m, f->coro->site));
	printf("\n  %s\n", f->because);
}

/* Findings come in the order of their groups. */
static void print_text(struct judge *j, const struct finding *f, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		size_t same = 0;

		for (end = i; end < n && finding_same_group(&f[i], &f[end]); end++)
			same += wanted(judge_model(j), &f[end]);
		if (same)
			print_header(judge_model(j), &f[i], same);
		for (size_t k = i; k < end; k++)
			if (wanted(judge_model(j), &f[k])) {
				fputs("  ", stdout);
				finding_story(stdout, j, &f[k]);
				putchar('\n');
			}
		if (same)
			putchar('\n');
	}
}

/* "47 findings: 47 proven; 50 coroutines live; 3.21s traced" or the clean bill. */
static void print_summary(struct model *m, const size_t *n, const char *doubt)
{
	size_t all = n[PROVEN] + n[SUSPECTED] + n[UNKNOWN], unnamed = all ? 0 : judge_unnamed(m);
	char time[24];

	printf("%s%zu finding%s:", opt.color && !all && !doubt ? "\033[1;32m" : "", all, all == 1 ? "" : "s");
	for (int c = PROVEN; c <= UNKNOWN; c++)
		if (n[c])
			printf(" %zu %s,", n[c], certainty_name((enum certainty)c));
	printf(" %zu coroutine%s live%s", model_live(m), model_live(m) == 1 ? "" : "s",
		all ? "" : unnamed ? ", none seen to be forgotten" : ", none forgotten");
	if (unnamed)
		printf(" (what %zu wait%s on is not told)", unnamed, unnamed == 1 ? "s" : "");
	printf(", %s traced", out_duration(time, model_last_ts(m) - model_first_ts(m)));
	if (doubt)
		printf("; inconclusive where %s", doubt);
	printf("%s\n", opt.color && !all && !doubt ? "\033[0m" : "");
}

/* Judge one run and print it; its status. */
static int report(struct trace *in, struct judge *j, uint32_t run)
{
	const struct trace_run *facts = trace_run(in, run);
	const char *doubt = judge_doubt(j, facts);
	size_t n, sum[3] = { 0, 0, 0 };
	const struct finding *f = judge_findings(j, facts, opt.grace, &n);

	for (size_t i = 0; i < n; i++)
		sum[f[i].certainty] += wanted(judge_model(j), &f[i]);
	if (opt.json) {
		for (size_t i = 0; i < n; i++)
			if (wanted(judge_model(j), &f[i]))
				finding_json(stdout, j, &f[i], trace_stats(in)->runs > 1 ? run + 1 : 0);
	} else {
		if (trace_stats(in)->runs > 1)
			printf("%srun %" PRIu32 " of %" PRIu32 ":\n", run ? "\n" : "", run + 1, trace_stats(in)->runs);
		print_text(j, f, n);
		print_summary(judge_model(j), sum, doubt);
	}
	if (sum[PROVEN] + sum[SUSPECTED])
		return 1;
	return sum[UNKNOWN] || doubt ? 3 : 0;
}

int main(int argc, char *argv[])
{
	char **files = common_parse(argc, argv, &program, &opt);
	struct trace *in = trace_open(files, program.name);
	struct judges judges = { 0 };
	struct event ev;
	int status = 0;

	trace_set(in, opt.flags);
	trace_on_bad(in, judges_bad, &judges);
	while (trace_next(in, &ev))
		judges_apply(&judges, &ev);
	judges_end(&judges);
	for (uint32_t i = 0; i < judges.count; i++) {
		int s = report(in, judges.run[i], i);

		if (s == 1 || !status)
			status = s;
	}
	judges_free(&judges);
	return trace_finish(in, status);
}
