/* ct-lostwake - say which coroutines lost their wakeup, and show the evidence.
 *
 * in:	{"probe_id":7,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 *	{"ev":"close","ts":..,"tid":4711,"on":"fd:42","site":4}
 * out:	1 coroutine: closed-resource (proven): serve serve.cc:42, on fd
 *	  what they wait on was closed and nobody woke them
 *	  coroutine 7 "conn" waits on fd:42 for 2.01s; closed at +1.203000s by thread 4711 (reactor serve.cc:98) [lines ..]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cttrace.h"

static const char help[] =
	"usage: ct-lostwake [options] [trace ...]\n"
	"Find the coroutines that will never run again, and say why.\n"
	"Proven: the cause is in the trace, and nothing missing could undo it.\n"
	"Suspected: a piece of evidence is missing.\n"
	"Unknown: the resume may be among what is missing.\n"
	"Hint: healthy programs do that, too; no ground for a status of 1.\n\n"
	"  --allow=FILE    sites that may wait for ever: a regular expression a line, as\n"
	"                  --site has it; # begins a comment\n"
	"  --fail-on=GRADE what makes the status 1: proven, suspected (and proven; the\n"
	"                  default), hint (any of the three)\n"
	"  --grace=DUR     a cause younger than this accuses nobody (default 100ms)\n"
	"  --min-age=DUR   only findings at least so old\n"
	"  --site=REGEX    only those waiting at a matching site (\"serve serve.cc:42\")\n"
	"  --name=REGEX    only those with a matching name\n"
	"  --proven-only   print and count only what is proven, or unknown\n"
	"  --verdicts      list the verdicts, what each means and what to do, and exit\n"
	"  --json          one JSON line a finding\n"
	"  --color=WHEN    auto, always, never\n"
	"  --strict        bad lines are status 2\n"
	"  --quiet         only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 nothing found; 1 something proven or suspected (see --fail-on);\n"
	"2 usage or unusable input; 3 inconclusive: only unknown findings, or none in a\n"
	"trace that misses events.\n\n"
	"example: ct-record ./app | tee trace.jsonl | ct-lostwake\n";

static struct ctt_common opt = { .grace = CTT_JUDGE_GRACE_NS };
static bool proven_only;

static bool list_verdicts(void)
{
	for (int v = CTT_V_NONE + 1; v < CTT_VERDICTS; v++) {
		const struct ctt_verdict_facts *facts = ctt_verdict_facts((enum ctt_verdict)v);

		printf("%s (%s at best)\n  %s\n  help: %s\n", facts->name,
			ctt_certainty_name(facts->best), facts->means, facts->help);
	}
	if (fflush(stdout) || ferror(stdout))
		ctt_die("ct-lostwake", "<stdout>", strerror(errno));
	exit(0);
}

static bool own_option(int letter, const char *arg)
{
	(void)arg;
	return letter == 'v' ? list_verdicts() : (proven_only = true);
}

static const struct option options[] = {
	CTT_OPT_ALLOW, CTT_OPT_FAIL_ON, CTT_OPT_GRACE, CTT_OPT_MIN_AGE, CTT_OPT_SITE, CTT_OPT_NAME,
	{ "proven-only", no_argument, NULL, 'p' },
	{ "verdicts", no_argument, NULL, 'v' }, CTT_OPT_JSON, CTT_OPT_COLOR,
	 CTT_OPT_ALWAYS, CTT_OPT_END
};
static const struct ctt_program program = { "ct-lostwake", help, options, own_option };

static bool wanted(const struct ctt_model *m, const struct ctt_finding *f)
{
	return !(proven_only && (f->certainty == CTT_SUSPECTED || f->certainty == CTT_HINT)) &&
		!ctt_common_hides_finding(&opt, m, f);
}

static void print_header(const struct ctt_model *m, const struct ctt_finding *f, size_t n)
{
	static const char *const colors[CTT_CERTAINTIES] = { "\033[1;31m", "\033[1;33m",
		"\033[1;36m", "\033[36m" };
	const char *what = f->cycle ? n == 1 ? "cycle" : "cycles" :
		n == 1              ? "coroutine" :
				      "coroutines";
	char site[512];

	printf("%s%zu %s: %s (%s)%s", opt.color ? colors[f->certainty] : "", n, what,
		ctt_verdict_name(f->verdict), ctt_certainty_name(f->certainty),
		opt.color ? "\033[0m" : "");
	if (f->coro->site)
		printf(": %s", ctt_model_site_text(site, sizeof(site), m, f->coro->site));
	printf("\n  %s\n", f->because);
}

/* Findings come in the order of their groups. */
static void print_text(struct ctt_judge *j, const struct ctt_finding *f, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		size_t same = 0;

		for (end = i; end < n && ctt_finding_same_group(&f[i], &f[end]); end++)
			same += wanted(ctt_judge_model(j), &f[end]);
		if (same)
			print_header(ctt_judge_model(j), &f[i], same);
		for (size_t k = i; k < end; k++)
			if (wanted(ctt_judge_model(j), &f[k])) {
				fputs("  ", stdout);
				ctt_finding_story(stdout, j, &f[k]);
				putchar('\n');
			}
		if (same)
			putchar('\n');
	}
}

/* "47 findings: 47 proven; 50 coroutines live; 3.21s traced" or the clean bill. */
static void print_summary(
	struct ctt_judge *j, const size_t *n, const size_t *hidden, const char *doubt)
{
	struct ctt_model *m = ctt_judge_model(j);
	size_t all = n[CTT_PROVEN] + n[CTT_SUSPECTED] + n[CTT_UNKNOWN] + n[CTT_HINT];
	size_t live = ctt_judge_live(j), left = ctt_model_live(m);
	char time[24], bill[CTT_BILL_SIZE], text[CTT_HIDDEN_SIZE], late[CTT_LATE_SIZE];
	bool good = opt.color && !all && !doubt && !ctt_judge_unnamed(m);

	printf("%s%zu finding%s:", good ? "\033[1;32m" : "", all, all == 1 ? "" : "s");
	for (int c = CTT_PROVEN; c < CTT_CERTAINTIES; c++)
		if (n[c])
			printf(" %zu %s,", n[c], ctt_certainty_name((enum ctt_certainty)c));
	printf(" %zu coroutine%s live", live, live == 1 ? "" : "s");
	if (left > live)
		printf(" (%zu when the workers stopped)", left);
	printf("%s, %s traced%s%s", all || doubt ? "" : ctt_judge_bill(bill, m),
		ctt_out_duration(time, ctt_model_last_ts(m) - ctt_model_first_ts(m)),
		ctt_model_late(m, late), ctt_hidden_text(text, hidden));
	if (doubt)
		printf("; inconclusive where %s", doubt);
	printf("%s\n", good ? "\033[0m" : "");
}

/* Judge one run and print it; its status. */
static int report(struct ctt_trace *in, struct ctt_judge *j, uint32_t run)
{
	const struct ctt_trace_run *facts = ctt_trace_run(in, run);
	const char *doubt = ctt_judge_doubt(j, facts);
	size_t n, sum[CTT_CERTAINTIES] = { 0 }, hidden[CTT_HIDERS] = { 0 };
	const struct ctt_finding *f = ctt_judge_findings(j, facts, opt.grace, &n);

	for (size_t i = 0; i < n; i++) {
		sum[f[i].certainty] += wanted(ctt_judge_model(j), &f[i]);
		hidden[ctt_common_hides_finding(&opt, ctt_judge_model(j), &f[i])]++;
	}
	hidden[CTT_HIDES_GRACE] = ctt_judge_fresh(j);
	if (opt.json) {
		for (size_t i = 0; i < n; i++)
			if (wanted(ctt_judge_model(j), &f[i]))
				ctt_finding_json(stdout, j, &f[i],
					ctt_trace_stats(in)->runs > 1 ? run + 1 : 0);
	} else {
		if (ctt_trace_stats(in)->runs > 1)
			printf("%srun %" PRIu32 " of %" PRIu32 ":\n", run ? "\n" : "", run + 1,
				ctt_trace_stats(in)->runs);
		print_text(j, f, n);
		print_summary(j, sum, hidden, doubt);
	}
	return ctt_common_status(&opt, sum, doubt);
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct ctt_trace *in = ctt_trace_open(files, program.name);
	struct ctt_judges judges = { 0 };
	struct ctt_event ev;
	int status = 0;

	ctt_trace_set(in, opt.flags);
	ctt_trace_on_bad(in, ctt_judges_bad, &judges);
	while (ctt_trace_next(in, &ev))
		ctt_judges_apply(&judges, &ev);
	ctt_judges_end(&judges);
	for (uint32_t i = 0; i < judges.count; i++)
		status = ctt_status_fold(status, report(in, judges.run[i], i));
	ctt_judges_free(&judges);
	return ctt_trace_finish(in, status);
}
