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
static struct {
	regex_t *at;
	size_t count;
} allowed;

static void allow_line(const char *file, unsigned number, char *line)
{
	char where[512], why[256];
	int error;

	line[strcspn(line, "\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return;
	allowed.at = realloc(allowed.at, (allowed.count + 1) * sizeof(*allowed.at));
	if (!allowed.at)
		die("ct-lostwake", "out of memory", NULL);
	error = regcomp(&allowed.at[allowed.count++], line, REG_EXTENDED | REG_NOSUB);
	if (!error)
		return;
	regerror(error, &allowed.at[allowed.count - 1], why, sizeof(why));
	snprintf(where, sizeof(where), "%s:%u", file, number);
	die("ct-lostwake", where, why);
}

static void read_allowed(const char *file)
{
	FILE *f = fopen(file, "r");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		die("ct-lostwake", file, strerror(errno));
	for (unsigned number = 1; getline(&line, &size, f) >= 0; number++)
		allow_line(file, number, line);
	if (ferror(f))
		die("ct-lostwake", file, strerror(errno));
	free(line);
	fclose(f);
}

static bool may_wait(const char *place)
{
	for (size_t i = 0; i < allowed.count; i++)
		if (regexec(&allowed.at[i], place, 0, NULL, 0) == 0)
			return true;
	return false;
}

static bool own_option(int letter, const char *arg)
{
	if (letter == 'a')
		read_allowed(arg);
	proven_only |= letter == 'p';
	return letter == 'p' || letter == 'a';
}

static const struct option options[] = {
	{ "allow", required_argument, NULL, 'a' }, OPT_GRACE, OPT_MIN_AGE, OPT_SITE, OPT_NAME, { "proven-only", no_argument, NULL, 'p' }, OPT_JSON, OPT_COLOR,
	OPT_ALWAYS, OPT_END
};
static const struct program program = { "ct-lostwake", help, options, own_option };

/* One judge a run; and where the last good line was, so that a bad one is a loss between its neighbours. */
static struct {
	struct judge **run;
	uint32_t count, last;
	bool bad;
} judges;

static void note_bad(void *arg, const struct event *ev, const char *why)
{
	(void)arg; (void)ev; (void)why;
	judges.bad = true;
}

static struct judge *judge_of(uint32_t run)
{
	while (run >= judges.count) {
		judges.run = realloc(judges.run, (judges.count + 1) * sizeof(*judges.run));
		if (!judges.run)
			die(program.name, "out of memory", NULL);
		judges.run[judges.count++] = judge_new();
	}
	return judges.run[run];
}

static void apply(const struct event *ev)
{
	struct judge *j = judge_of(ev->run);

	judge_apply(j, ev);
	if (judges.bad && (ev->ts || ev->run != judges.last)) {
		judge_lost(j, 0, ev->ts);
		if (ev->run != judges.last)	/* it may have been the last run's last */
			judge_lost(judges.run[judges.last], 0, UINT64_MAX);
		judges.bad = false;
	}
	judges.last = ev->run;
}

static bool wanted(const struct model *m, const struct finding *f)
{
	char site[512];

	return f->age_ns >= opt.min_age && !(proven_only && f->certainty == SUSPECTED) &&
		common_match(opt.name, f->coro->name ? f->coro->name : "") &&
		common_match(opt.site, place_text(site, sizeof(site), m, f->coro->site)) && !may_wait(site);
}

static bool same_group(const struct finding *a, const struct finding *b)
{
	return a->verdict == b->verdict && a->certainty == b->certainty && a->coro->site == b->coro->site &&
		a->cause.site == b->cause.site && a->because == b->because;
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

		for (end = i; end < n && same_group(&f[i], &f[end]); end++)
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
static void print_summary(const struct model *m, const size_t *n, const char *doubt)
{
	size_t all = n[PROVEN] + n[SUSPECTED] + n[UNKNOWN];
	char time[24];

	printf("%s%zu finding%s:", opt.color && !all && !doubt ? "\033[1;32m" : "", all, all == 1 ? "" : "s");
	for (int c = PROVEN; c <= UNKNOWN; c++)
		if (n[c])
			printf(" %zu %s,", n[c], certainty_name((enum certainty)c));
	printf(" %zu coroutine%s live%s, %s traced", model_live(m), model_live(m) == 1 ? "" : "s",
		all ? "" : ", none forgotten", out_duration(time, model_last_ts(m) - model_first_ts(m)));
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
	struct event ev;
	int status = 0;

	trace_set(in, opt.flags);
	trace_on_bad(in, note_bad, NULL);
	while (trace_next(in, &ev))
		apply(&ev);
	if (judges.bad && judges.count)
		judge_lost(judges.run[judges.last], 0, UINT64_MAX);
	for (uint32_t i = 0; i < judges.count; i++) {
		int s = report(in, judges.run[i], i);

		if (s == 1 || !status)
			status = s;
	}
	for (uint32_t i = 0; i < judges.count; i++)
		judge_free(judges.run[i]);
	free(judges.run);
	for (size_t i = 0; i < allowed.count; i++)
		regfree(&allowed.at[i]);
	free(allowed.at);
	return trace_finish(in, status);
}
