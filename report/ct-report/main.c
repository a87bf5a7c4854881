/* ct-report - the diagnosis of a trace: overview, findings with their evidence, what is pending,
 * memory-corruption suspects, the trace's health; as Markdown, text, JSON lines, JUnit or SARIF.
 *
 * in:	{"probe_id":7,...,"ev":"suspend","n":9,"site":3,"on":"fd:42"} {"ev":"close","on":"fd:42",...}
 * out:	# corotrace report
 *	**1 finding: 1 proven, 1 coroutine live, 2.10s traced.**
 *	...
 */
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const char help[] =
	"usage: ct-report [options] [trace ...]\n"
	"The diagnosis of a trace as one document: overview, findings with evidence and\n"
	"where to look, what is pending, memory-corruption suspects, scheduling, the\n"
	"trace's health. ct-lostwake(1) explains the verdicts.\n\n"
	"  --format=FORMAT  markdown (default), text, json (lines), junit, sarif (2.1.0)\n"
	"  --json           --format=json\n"
	"  --all            every coroutine of a group, not the first few\n"
	"  --root=DIR       sarif: name sources below DIR relative to it, as CI systems\n"
	"                   want them\n"
	"  --allow=FILE     sites that may wait for ever, as for ct-lostwake: none of\n"
	"                   them is accused\n"
	"  --fail-on=GRADE  what makes the status 1: proven, suspected (and proven; the\n"
	"                   default), hint (any of the three)\n"
	"  --grace=DUR      a cause younger than this accuses nobody (default 100ms)\n"
	"  --min-age=DUR    only what is at least so old\n"
	"  --site=REGEX     only what waits at a matching site (\"serve() serve.cc:42\")\n"
	"  --name=REGEX     only coroutines with a matching name\n"
	"  --color=WHEN     text: auto, always, never\n"
	"  --strict         bad lines are status 2\n"
	"  -o, --output=FILE  write to a file instead of standard output\n"
	"  --quiet          only fatal messages\n"
	"  --help, --version\n\n"
	"Status: 0 nothing found; 1 something proven or suspected (see --fail-on); 2\n"
	"usage or unusable input; 3 inconclusive.\n\n"
	"example: ct-record -o trace.jsonl ./tests; ct-report trace.jsonl \\\n"
	"         >>$GITHUB_STEP_SUMMARY\n";

static struct ctt_common opt = { .product = CTT_FILE, .grace = CTT_JUDGE_GRACE_NS };
static struct report report = { .opt = &opt };
static void (*write_report)(const struct report *) = write_markdown;

static bool set_format(const char *name)
{
	static const struct {
		const char *name;
		void (*write)(const struct report *);
	} formats[] = {
		{ "markdown", write_markdown },
		{ "text", write_text },
		{ "json", write_json },
		{ "junit", write_junit },
		{ "sarif", write_sarif },
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(name, formats[i].name)) {
			write_report = formats[i].write;
			return true;
		}
	return false;
}

static bool own_option(int letter, const char *arg)
{
	switch (letter) {
	case 'a':
		report.all = true;
		return true;
	case 'r':
		free(report.root);
		report.root = *arg ? root_of(arg) : NULL;
		return report.root;
	default:
		return set_format(arg);
	}
}

static const struct option options[] = { { "format", required_argument, NULL, 'f' }, CTT_OPT_JSON,
	{ "all", no_argument, NULL, 'a' }, { "root", required_argument, NULL, 'r' }, CTT_OPT_ALLOW,
	CTT_OPT_FAIL_ON, CTT_OPT_GRACE, CTT_OPT_MIN_AGE, CTT_OPT_SITE, CTT_OPT_NAME, CTT_OPT_COLOR,
	CTT_OPT_OUTPUT, CTT_OPT_ALWAYS, CTT_OPT_END };
static const struct ctt_program program = { "ct-report", help, options, own_option };

int main(int argc, char *argv[])
{
	char **files = ctt_common_parse(argc, argv, &program, &opt);
	struct ctt_event ev;
	int status = 0;

	if (opt.json)
		write_report = write_json;
	report.in = ctt_trace_open(files, program.name);
	ctt_trace_set(report.in, opt.flags);
	ctt_trace_on_bad(report.in, report_bad, &report);
	ctt_judges_read(&report.judges, report.in);
	while (ctt_trace_next(report.in, &ev))
		report_apply(&report, &ev);
	if (ctt_trace_stats(report.in)->runs) {
		report_judge(&report);
		write_report(&report);
		status = report_status(&report);
	}
	report_free(&report);
	free(report.root);
	return ctt_trace_finish(report.in, status);
}
