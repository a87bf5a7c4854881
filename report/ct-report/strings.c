/* strings.c - the strings of a report, all kept until its end: they are as many as the report is
 * long. Contracts in report.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "report.h"

static struct { char **at; size_t count, size; } kept;

char *keep(char *s)
{
	return *ADD(kept.at, kept.count, kept.size) = need(s);
}

void strings_free(void)
{
	while (kept.count)
		free(kept.at[--kept.count]);
	free(kept.at);
	kept.at = NULL;
	kept.size = 0;
}

char *format(const char *fmt, ...)
{
	va_list ap, again;
	char *s;
	int len;

	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	s = len < 0 ? NULL : malloc((size_t)len + 1);
	if (s)
		vsnprintf(s, (size_t)len + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return keep(s);
}

/* What is written to the stream, as a string: begin, write, end. */
static struct { FILE *f; char *text; size_t len; } stream;

static FILE *begin(void)
{
	return stream.f = need(open_memstream(&stream.text, &stream.len));
}

static char *end(void)
{
	if (fclose(stream.f) || !stream.text)
		need(NULL);
	return keep(stream.text);
}

char *shown(const char *name)
{
	ctt_out_text(begin(), name, strlen(name));
	return end();
}

char *quoted_of(const char *s, size_t len)
{
	ctt_out_json(begin(), s, len);
	return end();
}

char *story_of(const struct run *r, const struct ctt_finding *f)
{
	ctt_finding_story(begin(), r->judge, f);
	return end();
}

char *coro_of(const struct ctt_coro *c)
{
	ctt_coro_text(begin(), c);
	return end();
}

char *site_text(const struct run *r, uint64_t site)
{
	char buf[280];		/* doc_code shows 300 */

	return format("%s", ctt_model_site_text(buf, sizeof(buf), r->model, site));
}

char *duration_of(uint64_t ns)
{
	char buf[24];

	return format("%s", ctt_out_duration(buf, ns));
}

char *since_start(const struct run *r, uint64_t ts)
{
	uint64_t start = ctt_model_first_ts(r->model), at = ts > start ? ts - start : 0;

	return format("+%" PRIu64 ".%06" PRIu64 "s", at / 1000000000, at / 1000 % 1000000);
}

char *utc_of(uint64_t wall)
{
	time_t t = (time_t)(wall / 1000000000);
	struct tm tm;
	char buf[32] = "1970-01-01T00:00:00";

	if (gmtime_r(&t, &tm))
		strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%S", &tm);
	return format("%s", buf);
}

const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* A JSON string, or an array of them, for the eye: as words where that is simple. */
char *words_of(const char *json)
{
	char *s = format("%s", json), *to = s;
	size_t len = strlen(s);

	if (strchr(s, '\\') || strchr(s, ' ') || len < 2)
		return s;
	for (const char *p = s; *p; p++)
		if (*p == ',' && p > s && p[-1] == '"' && p[1] == '"')
			*to++ = ' ';
		else if (*p != '"' && !(*p == '[' && p == s) && !(*p == ']' && !p[1]))
			*to++ = *p;
	*to = '\0';
	return s;
}

char *sentence(const char *phrase)
{
	char *s = format("%s.", phrase);

	*s = (char)toupper((unsigned char)*s);
	return s;
}

char *group_kind(const struct ctt_finding *f, size_t n)
{
	return format("%zu %s%s: %s (%s)", n, f->cycle ? "cycle" : "coroutine", plural(n),
		ctt_verdict_name(f->verdict), ctt_certainty_name(f->certainty));
}

char *group_title(const struct run *r, const struct ctt_finding *f, size_t n)
{
	return format("%s%s%s", group_kind(f, n), f->coro->site ? ": " : "",
		f->coro->site ? site_text(r, f->coro->site) : "");
}

char *summary_of(const struct run *r)
{
	FILE *f = begin();
	size_t live = ctt_judge_live(r->judge), left = ctt_model_live(r->model);
	char span[24], bill[CTT_BILL_SIZE], hidden[CTT_HIDDEN_SIZE], late[CTT_LATE_SIZE];
	char rest[CTT_REST_SIZE] = "";

	fprintf(f, "%zu finding%s:", r->finding_count, plural(r->finding_count));
	for (int c = CTT_PROVEN; c < CTT_CERTAINTIES; c++)
		if (r->certain[c])
			fprintf(f, " %zu %s,", r->certain[c],
				ctt_certainty_name((enum ctt_certainty)c));
	fprintf(f, " %zu coroutine%s live", live, plural(live));
	if (left > live)
		fprintf(f, " (%zu when the workers stopped)", left);
	ctt_hidden_text(hidden, r->hidden);
	if (r->finding_count == r->certain[CTT_HINT] && !r->doubt)
		ctt_judge_rest(rest, r->judge);
	fprintf(f, "%s, %s traced%s%s%s",
		r->finding_count || r->doubt || *hidden ? "" : ctt_judge_bill(bill, r->model),
		ctt_out_duration(span, ctt_model_last_ts(r->model) - ctt_model_first_ts(r->model)),
		ctt_model_late(r->model, late), hidden, rest);
	if (r->doubt)
		fprintf(f, "; inconclusive where %s", r->doubt);
	return end();
}

static char *lost_of(const struct run *r)
{
	const char *exact = ctt_model_exact(r->model) ?
		"; the last state of every live coroutine is known all the same" :
		"";
	uint64_t n = ctt_model_lost(r->model);

	if (r->lost_to)
		return format("%" PRIu64 " event%s lost, between %s and %s%s", n, plural(n),
			since_start(r, r->lost_from), since_start(r, r->lost_to), exact);
	return format("%" PRIu64 " event%s missing or out of place, by the numbers of those "
		"that are there%s", n, plural(n), exact);
}

size_t health_of(const struct report *rp, const struct run *r, char *what[HEALTH_MAX])
{
	const struct ctt_trace_run *t = r->facts;
	size_t n = 0;

	if (ctt_trace_headless(t))
		what[n++] = format("%s", ctt_trace_headless(t));
	if (!t->v1 && !t->ended)
		what[n++] = format(
			"no end line: the trace was cut off at %s", since_start(r, t->last_ts));
	if (ctt_model_lost(r->model))
		what[n++] = lost_of(r);
	if (t->bad)
		what[n++] = format("%" PRIu64
				   " bad line%s skipped, the first of the input at line %" PRIu64,
			t->bad, plural(t->bad), ctt_trace_stats(rp->in)->first_bad);
	if (ctt_trace_nothing(t))
		what[n++] = format("%s", ctt_trace_nothing(t));
	if (t->cut)
		what[n++] = format(
			"a filter left lines out: what is not there is no loss, and proves nothing");
	if (t->v1)
		what[n++] = format("version 1 only: it has no names, wakes or causes");
	return n;
}
