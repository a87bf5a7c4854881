/* junit.c - the report as JUnit XML, as Ant's schema and Jenkins' have it: a test case a group of
 * findings, or one that passes where there is none; one for memory corruption where that is
 * suspected; one for the trace. Contracts in report.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* XML 1.0 knows no control characters, even escaped; ctt_out_text has made them visible. U+FFFE and
 * U+FFFF are no characters either. */
static void xml(const char *s)
{
	for (; *s; s++)
		if (*s == '<')
			fputs("&lt;", stdout);
		else if (*s == '>')
			fputs("&gt;", stdout);
		else if (*s == '&')
			fputs("&amp;", stdout);
		else if (*s == '"')
			fputs("&quot;", stdout);
		else if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3)) {
			fputs("\xef\xbf\xbd", stdout);
			s += 2;
		} else {
			putchar(*s);
		}
}

static void attribute(const char *key, const char *value)
{
	printf(" %s=\"", key);
	xml(value);
	putchar('"');
}

static void testcase(const char *class, const char *name)
{
	fputs("    <testcase", stdout);
	attribute("classname", class);
	attribute("name", name);
	fputs(" time=\"0\"", stdout);
}

static void passed(const char *class, const char *name)
{
	testcase(class, name);
	fputs("/>\n", stdout);
}

static void skipped(const char *class, const char *name, const char *why)
{
	testcase(class, name);
	fputs("><skipped", stdout);
	attribute("message", why);
	fputs("/></testcase>\n", stdout);
}

/* What follows up to failed_end is its text. */
static void failed(const char *class, const char *name, const char *element, const char *type,
	const char *message)
{
	testcase(class, name);
	printf(">\n      <%s", element);
	attribute("type", type);
	attribute("message", message);
	fputs(">", stdout);
}

static void text_line(const char *s)
{
	xml(s);
	putchar('\n');
}

static void failed_end(const char *element)
{
	printf("</%s>\n    </testcase>\n", element);
}

/* The same from run to run as long as the locations are. */
static const char *group_name(const struct run *r, const struct ctt_finding *f)
{
	const char *at = f->coro->site ? site_text(r, f->coro->site) : "site not known";

	if (!f->cause.site)
		return format("%s (%s)", at, ctt_certainty_name(f->certainty));
	return format("%s (%s; %s by %s)", at, ctt_certainty_name(f->certainty), f->cause.what,
		site_text(r, f->cause.site));
}

static void group(const struct report *rp, const struct run *r, size_t first, size_t n)
{
	const struct ctt_finding *f = r->findings[first];
	const char *element = f->certainty == CTT_UNKNOWN ? "error" : "failure";
	struct location locations[LOCATIONS];
	size_t count = group_locations(r, first, n, locations), shown = rp->all || n < 20 ? n : 20;

	failed(format("corotrace.%s", ctt_verdict_name(f->verdict)), group_name(r, f), element,
		format("%s, %s", ctt_verdict_name(f->verdict), ctt_certainty_name(f->certainty)),
		format("%s: %s", group_title(r, f, n), f->because));
	text_line(format("To do: %s.", ctt_finding_help(f)));
	for (size_t i = 0; i < shown; i++)
		text_line(story_of(r, r->findings[first + i]));
	if (shown < n)
		text_line(format("... and %zu more (--all)", n - shown));
	for (size_t i = 0; i < count; i++)
		text_line(format("%s: %s", site_text(r, locations[i].site), locations[i].what));
	failed_end(element);
}

/* Nothing was found; where nothing was recorded that is no success. */
static void none(const struct run *r)
{
	static const char class[] = "corotrace.findings", name[] = "no coroutine lost its wakeup";

	if (ctt_trace_nothing(r->facts))
		skipped(class, name, ctt_trace_nothing(r->facts));
	else
		passed(class, name);
}

/* What --fail-on lets pass fails no test: it stands in the summary. */
static bool passes(const struct report *rp, const struct ctt_finding *f)
{
	return f->certainty != CTT_UNKNOWN && f->certainty > rp->opt->fail_on;
}

static void verdicts(const struct report *rp, const struct run *r)
{
	bool any = false;

	for (size_t i = 0, n; i < r->finding_count; i += n) {
		n = finding_group(r, i);
		if (passes(rp, r->findings[i]))
			continue;
		any = true;
		group(rp, r, i, n);
	}
	if (!any)
		none(r);
}

static uint64_t crashes(const struct run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->exit_count; i++)
		n += is_crash(&r->exits[i]);
	return n;
}

static void memory(const struct run *r)
{
	const struct suspects *s = &r->suspects;
	uint64_t n = suspects_count(s) + crashes(r);

	if (!n)
		return;
	failed("corotrace.memory-corruption", "suspects", "failure", "suspected",
		format("%" PRIu64 " suspect%s", n, plural(n)));
	for (size_t i = 0; i < r->exit_count; i++)
		if (is_crash(&r->exits[i]))
			text_line(format("process %" PRIu64 " was killed by %s [line %" PRIu64 "]",
				r->exits[i].pid, signal_name(r->exits[i].value), r->exits[i].line));
	for (int k = 0; k < SUSPICIONS; k++)
		for (uint64_t i = 0; i < s->count[k] && i < SUSPECTS_KEPT; i++)
			text_line(format(
				"line %" PRIu64 ": %s", s->kept[k][i].line, s->kept[k][i].what));
	failed_end("failure");
}

static void trace(const struct report *rp, const struct run *r)
{
	char *what[HEALTH_MAX];
	size_t n = health_of(rp, r, what);

	if (!r->doubt) {
		passed("corotrace.trace", "whole");
		return;
	}
	failed("corotrace.trace", "whole", "error", "inconclusive",
		format("inconclusive where %s", r->doubt));
	for (size_t i = 0; i < n; i++)
		text_line(what[i]);
	failed_end("error");
}

static void count(const struct report *rp, const struct run *r, size_t *tests, size_t *failures,
	size_t *errors)
{
	size_t groups = 0;

	*failures = *errors = 0;
	for (size_t i = 0, n; i < r->finding_count; i += n) {
		const struct ctt_finding *f = r->findings[i];

		n = finding_group(r, i);
		if (passes(rp, f))
			continue;
		groups++;
		++*(f->certainty == CTT_UNKNOWN ? errors : failures);
	}
	*tests = (groups ? groups : 1) + 1;	/* the trace's */
	if (suspects_count(&r->suspects) || crashes(r)) {
		++*tests;
		++*failures;
	}
	*errors += r->doubt != NULL;
}

/* The host is a JSON string; one with escapes in it is no name of a host. */
static const char *host_of(const struct run *r)
{
	return r->host && strlen(r->host) > 2 && !strchr(r->host, '\\') ? words_of(r->host) :
									  "localhost";
}

static void suite(const struct report *rp, uint32_t i)
{
	const struct run *r = rp->run[i];
	size_t tests, failures, errors;

	count(rp, r, &tests, &failures, &errors);
	fputs("  <testsuite", stdout);
	attribute("name", r->number ? format("corotrace run %" PRIu32, r->number) : "corotrace");
	attribute("package", "corotrace");
	attribute("timestamp", utc_of(r->wall));
	attribute("hostname", shown(host_of(r)));
	printf(" id=\"%" PRIu32
	       "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n    <properties>\n      <property "
	       "name=\"trace\"",
		i, tests, failures, errors,
		(double)(ctt_model_last_ts(r->model) - ctt_model_first_ts(r->model)) / 1e9);
	attribute("value", shown(r->source));
	fputs("/>\n    </properties>\n", stdout);
	verdicts(rp, r);
	memory(r);
	trace(rp, r);
	fputs("    <system-out>", stdout);
	xml(summary_of(r));
	fputs("</system-out>\n    <system-err/>\n  </testsuite>\n", stdout);
}

void write_junit(const struct report *rp)
{
	puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>");
	for (uint32_t i = 0; i < rp->runs; i++)
		suite(rp, i);
	puts("</testsuites>");
}
