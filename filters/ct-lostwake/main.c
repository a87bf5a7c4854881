/* ct-lostwake - say which coroutines lost their wakeup, and show the evidence.
 *
 * in:	{"probe_id":7,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"}
 *	{"ev":"close","ts":..,"tid":4711,"on":"fd:42","site":4}
 * out:	1 coroutine: closed-resource (proven): serve() serve.cc:42, on fd
 *	  what they wait on was closed and nobody woke them
 *	  coroutine 7 "conn" waits on fd:42 for 2.01s; closed at +1.203000s by thread 4711 (reactor serve.cc:98) [lines ..]
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stdout.h"
#include "lostwake.h"

static const char help[] =
	"usage: ct-lostwake [options] [trace ...]\n"
	"Find the coroutines that will never run again, and say why.\n"
	"Proven: the cause is in the trace, and nothing missing could undo it.\n"
	"Suspected: a piece of evidence is missing.\n"
	"Unknown: the resume may be among what is missing.\n"
	"Hint: healthy programs do that, too; no ground for a status of 1.\n\n"
	"  --all           name all who wait behind a finding, not only how many\n"
	"  --allow=FILE    sites that may wait for ever: a regular expression a line, as\n"
	"                  --site has it; # begins a comment\n"
	"  --fail-on=GRADE what makes the status 1: proven, suspected (and proven; the\n"
	"                  default), hint (any of the three)\n"
	"  --grace=DUR     a cause younger than this accuses nobody (default 100ms)\n"
	"  --min-age=DUR   only findings at least so old\n"
	"  --site=REGEX    only those waiting at a matching site (\"serve() serve.cc:42\")\n"
	"  --name=REGEX    only those with a matching name\n"
	"  --top=N         print N causes, suspension points, coroutines, and count the\n"
	"                  rest (default 10; 0: print all)\n"
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

static struct ctt_common opt = { .product = CTT_PROSE, .grace = CTT_JUDGE_GRACE_NS };
static bool proven_only, all_behind;
static uint64_t top = 10;

static bool list_verdicts(void)
{
	for (int v = CTT_V_NONE + 1; v < CTT_VERDICTS; v++) {
		const struct ctt_verdict_facts *facts = ctt_verdict_facts((enum ctt_verdict)v);

		printf("%s (%s at best)\n  %s\n  help: %s\n", facts->name,
			ctt_certainty_name(facts->best), facts->means, facts->help);
	}
	exit(stdout_close("ct-lostwake") ? 0 : 2);
}

struct sums { size_t all, of[CTT_CERTAINTIES], hidden[CTT_HIDERS]; };

static bool own_option(int letter, const char *arg)
{
	if (letter == 't')
		return ctt_parse_number(arg, 0, SIZE_MAX, &top);
	if (letter == 'a')
		return all_behind = true;
	return letter == 'v' ? list_verdicts() : (proven_only = true);
}

static const struct option options[] = {
	CTT_OPT_ALLOW, CTT_OPT_FAIL_ON, CTT_OPT_GRACE, CTT_OPT_MIN_AGE, CTT_OPT_SITE, CTT_OPT_NAME,
	{ "all", no_argument, NULL, 'a' }, { "top", required_argument, NULL, 't' },
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

/* "47 findings: 47 proven; 50 coroutines live; 3.21s traced" or the clean bill, and who waits for what nobody is shown
 * to bring about. */
static void print_summary(struct ctt_judge *j, const struct sums *n,
	const struct ctt_causes *causes, const char *doubt)
{
	struct ctt_model *m = ctt_judge_model(j);
	size_t live = ctt_judge_live(j), left = ctt_model_live(m);
	char time[24], bill[CTT_BILL_SIZE], text[CTT_HIDDEN_SIZE], late[CTT_LATE_SIZE];
	char rest[CTT_REST_SIZE] = "";
	bool hides = *ctt_hidden_text(text, n->hidden);
	bool good = opt.color && !n->all && !doubt && !hides && !ctt_judge_unnamed(m);

	printf("%s%zu finding%s:", good ? "\033[1;32m" : "", n->all, n->all == 1 ? "" : "s");
	for (int c = CTT_PROVEN; c < CTT_CERTAINTIES; c++)
		if (n->of[c])
			printf(" %zu %s,", n->of[c], ctt_certainty_name((enum ctt_certainty)c));
	if (text_by_cause(causes, top))
		printf(" %zu cause%s at %zu suspension points,", causes->count,
			causes->count == 1 ? "" : "s", causes->sites);
	printf(" %zu coroutine%s live", live, live == 1 ? "" : "s");
	if (left > live)
		printf(" (%zu when the workers stopped)", left);
	if (n->all == n->of[CTT_HINT] && !doubt)
		ctt_judge_rest(rest, j);
	printf("%s, %s traced%s%s%s", n->all || doubt || hides ? "" : ctt_judge_bill(bill, m),
		ctt_out_duration(time, ctt_model_last_ts(m) - ctt_model_first_ts(m)),
		ctt_model_late(m, late), text, rest);
	if (doubt)
		printf("; inconclusive where %s", doubt);
	printf("%s\n", good ? "\033[0m" : "");
}

static void print_run(struct ctt_trace *in, struct ctt_judge *j, uint32_t run,
	const struct sums *sums, const struct ctt_finding *const *f, const char *doubt)
{
	struct ctt_causes causes;

	if (ctt_trace_stats(in)->runs > 1)
		printf("%srun %" PRIu32 " of %" PRIu32 ":\n", run ? "\n" : "", run + 1,
			ctt_trace_stats(in)->runs);
	ctt_causes_find(&causes, f, sums->all);
	text_print(j, f, sums->all, &causes, &(struct text_style){ top, opt.color, all_behind });
	if (doubt)
		text_doubt(j, doubt, top);
	print_summary(j, sums, &causes, doubt);
	ctt_causes_free(&causes);
}

/* Judge one run and print it; its status. */
static int report(struct ctt_trace *in, struct ctt_judge *j, uint32_t run)
{
	const struct ctt_trace_run *facts = ctt_trace_run(in, run);
	size_t n;
	struct sums sums = { 0 };
	const struct ctt_finding *f = ctt_judge_findings(j, facts, opt.grace, &n),
				 **shown = need(malloc((n + 1) * sizeof(*shown)));
	const char *doubt = ctt_judge_doubt(j, facts);

	for (size_t i = 0; i < n; i++) {
		sums.hidden[ctt_common_hides_finding(&opt, ctt_judge_model(j), &f[i])]++;
		if (wanted(ctt_judge_model(j), &f[i])) {
			shown[sums.all++] = &f[i];
			sums.of[f[i].certainty]++;
		}
	}
	sums.hidden[CTT_HIDES_GRACE] = ctt_judge_fresh(j);
	for (size_t i = 0; opt.json && i < sums.all; i++)
		ctt_finding_json(
			stdout, j, shown[i], ctt_trace_stats(in)->runs > 1 ? run + 1 : 0);
	if (!opt.json)
		print_run(in, j, run, &sums, shown, doubt);
	free(shown);
	return ctt_common_status(&opt, sums.of, doubt);
}

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);

	return ctt_filter_judge(files, &program, &opt, report);
}
