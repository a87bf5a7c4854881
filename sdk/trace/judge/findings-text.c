/* findings-text.c - a finding as words and as JSON. Contracts in cttrace/judge.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

const char *ctt_certainty_name(enum ctt_certainty c)
{
	static const char *const names[CTT_CERTAINTIES] = { "proven", "suspected", "unknown",
		"hint" };

	return names[c];
}

static void print_on(FILE *out, const struct ctt_coro *c)
{
	char buf[5000];

	ctt_wait_text(buf, sizeof(buf), c);
	ctt_out_text(out, buf, strlen(buf));
}

static void print_time(FILE *out, const struct ctt_judge *j, uint64_t ts)
{
	uint64_t start = ctt_model_first_ts(j->model), at = ts > start ? ts - start : 0;

	fprintf(out, "+%" PRIu64 ".%06" PRIu64 "s", at / 1000000000, at / 1000 % 1000000);
}

/* "by worker thread 4711 "w1"" or "by coroutine 5 "acceptor"", and the site */
static void print_who(FILE *out, const struct ctt_judge *j, const struct ctt_fact *f)
{
	const struct ctt_worker *w = f->tid ? ctt_model_worker(j->model, f->tid) : NULL;
	const struct ctt_coro *by = f->by ? judge_coro_of(j, f->by) : NULL;
	char site[200];		/* names of templates have no end */

	if (by) {
		fputs(" by coroutine ", out);
		ctt_coro_text(out, by);
	} else if (f->by) {
		fprintf(out, " by coroutine %" PRIu64, f->by);
	} else if (f->tid) {
		fprintf(out, " by %sthread %" PRIu64,
			w && worker_by_role(w) ? "worker " : "", f->tid);
		if (w && w->name && *w->name) {
			fputs(" \"", out);
			ctt_out_text(out, w->name, strlen(w->name));
			fputs("\"", out);
		}
	}
	if (f->site)
		fprintf(out, " (%s)", ctt_model_site_text(site, sizeof(site), j->model, f->site));
}

static void print_lines(FILE *out, const struct ctt_finding *f)
{
	fputs(f->fact_count == 1 ? " [line" : " [lines", out);
	for (uint32_t i = 0; i < f->fact_count; i++)
		fprintf(out, "%s %" PRIu64, i ? "," : "", f->facts[i].line);
	fputs(f->cycle_count > f->fact_count ? ", ...]" : "]", out);
}

static void print_cycle(FILE *out, struct ctt_judge *j, const struct ctt_finding *f)
{
	for (uint32_t i = 0; i < f->cycle_count && i < 16; i++) {
		const struct ctt_coro *c = f->gone_ts ? gone_coro(j, f->cycle[i]) :
							judge_coro_of(j, f->cycle[i]);

		fputs(!i ? "coroutine " : f->component ? ", coroutine " : " -> coroutine ", out);
		ctt_coro_text(out, c);
		fputs(f->gone_ts ? " waited on " : " waits on ", out);
		print_on(out, c);
	}
	if (f->component)
		fprintf(out, "%s: all for one another", f->cycle_count > 16 ? ", ..." : "");
	else
		fprintf(out, "%s -> back to %" PRIu64, f->cycle_count > 16 ? " -> ..." : "",
			f->cycle[0]);
}

static void print_cause(FILE *out, struct ctt_judge *j, const struct ctt_finding *f)
{
	if (!f->cause.ts)
		return;
	if (f->verdict == CTT_V_DEAD_AWAITEE || f->verdict == CTT_V_DEAD_OWNER) {
		fprintf(out, "; %s%s %" PRIu64 "%s at ",
			f->verdict == CTT_V_DEAD_OWNER ? "its holder " : "",
			f->cause.by ? "coroutine" : "thread",
			f->cause.by ? f->cause.by : f->cause.tid, strchr(f->cause.what, ' '));
		print_time(out, j, f->cause.ts);
		return;
	}
	fprintf(out, "; %s at ", f->cause.what);
	print_time(out, j, f->cause.ts);
	print_who(out, j, &f->cause);
}

static const char *state_text(const struct ctt_finding *f)
{
	const struct ctt_coro *c = f->coro;

	if (f->gone_ts)
		return " was runnable";
	if (c->state == CTT_CORO_RUNNING)
		return " runs";
	if (c->state == CTT_CORO_RUNNABLE)
		return c->resumed ? " is runnable" : " has not run";
	return " waits";
}

/* "; 199 wait behind it" */
static void print_behind(FILE *out, const struct ctt_finding *f)
{
	if (f->behind_count)
		fprintf(out, "; %zu wait%s behind %s", f->behind_count,
			f->behind_count == 1 ? "s" : "", f->cycle ? "them" : "it");
	if (f->to_run)
		fprintf(out, "; %" PRIu64 " wait%s to run", f->to_run, f->to_run == 1 ? "s" : "");
}

void ctt_finding_behind(
	FILE *out, struct ctt_judge *j, const struct ctt_finding *f, const char *indent)
{
	for (size_t i = 0; i < f->behind_count; i++) {
		const struct ctt_coro *c = ctt_model_coro(j->model, f->behind[i]);

		fprintf(out, "%scoroutine ", indent);
		ctt_coro_text(out, c);
		fputs(" waits behind it, on ", out);
		print_on(out, c);
		putc('\n', out);
	}
}

void ctt_finding_story(FILE *out, struct ctt_judge *j, const struct ctt_finding *f)
{
	const struct ctt_coro *c = f->coro;
	char age[40];

	if (f->verdict == CTT_V_WOKEN_AFTER_END) {
		fprintf(out, "coroutine %" PRIu64 " ended at ", c->id);
		print_time(out, j, f->gone_ts);
		print_cause(out, j, f);
		if (f->times > 1)
			fprintf(out, "; %" PRIu64 " more such from there", f->times - 1);
	} else if (f->cycle) {
		print_cycle(out, j, f);
		fprintf(out, ", for %s", ctt_coro_age(age, c, f->age_ns));
	} else {
		fputs("coroutine ", out);
		ctt_coro_text(out, c);
		fputs(state_text(f), out);
		if (ctt_waits(c)) {
			fputs(c->state == CTT_CORO_RUNNABLE ? ", waited on " : " on ", out);
			print_on(out, c);
			fputs(c->state == CTT_CORO_RUNNABLE ? "," : "", out);
		}
		fprintf(out, " for %s%s",
			f->verdict == CTT_V_SILENT && !j->run->ended ? "at least " : "",
			ctt_coro_age(age, c, f->age_ns));
		print_cause(out, j, f);
	}
	print_behind(out, f);
	if (f->close)
		fprintf(out,
			"; that and its suspend are less than %d ns apart on two threads: if they happened the other "
			"way round, %s",
			CTT_JUDGE_CLOSE_NS,
			f->verdict == CTT_V_MISSED_WAKE ?
				"it was woken in time and is in a queue" :
				c->state == CTT_CORO_RUNNABLE ?
				"the wake came while it still ran" :
				"it went to wait afterwards, perhaps for another thing of that name");
	if (f->unknown)
		fprintf(out, "; but %s", f->unknown);
	print_lines(out, f);
}

static void json_text(FILE *out, const char *key, const char *s)
{
	fprintf(out, ",\"%s\":", key);
	ctt_out_json(out, s, strlen(s));
}

static void json_story(FILE *out, struct ctt_judge *j, const struct ctt_finding *f)
{
	char *story = NULL;
	size_t len;
	FILE *mem = need(open_memstream(&story, &len));

	ctt_finding_story(mem, j, f);
	if (fclose(mem) || !story)	/* glibc: its last allocation fails silently */
		need(NULL);
	json_text(out, "story", story);
	free(story);
}

static void json_cause(FILE *out, struct ctt_judge *j, const struct ctt_fact *f)
{
	fprintf(out, ",\"cause\":{\"line\":%" PRIu64 ",\"ts\":%" PRIu64, f->line, f->ts);
	if (f->tid)
		fprintf(out, ",\"tid\":%" PRIu64, f->tid);
	if (f->by)
		fprintf(out, ",\"by\":%" PRIu64, f->by);
	json_text(out, "what", f->what);
	fputs(",\"site\":", out);
	ctt_site_json(out, ctt_model_site(j->model, f->site));
	fputs("}", out);
}

enum { BEHIND_SHOWN = 1000 };		/* more would make a line too long to read */
static void json_behind(FILE *out, const struct ctt_finding *f)
{
	if (f->behind_count)
		fprintf(out, ",\"behind\":%zu,\"behind_ids\":[", f->behind_count);
	for (size_t i = 0; i < f->behind_count && i < BEHIND_SHOWN; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", f->behind[i]);
	if (f->behind_count)
		fputs("]", out);
	if (f->times)
		fprintf(out, ",\"times\":%" PRIu64, f->times);
	if (f->to_run)
		fprintf(out, ",\"to_run\":%" PRIu64, f->to_run);
}

uint64_t ctt_finding_id(const struct ctt_finding *f, uint32_t run)
{
	return hash64(f->id + run);
}

void ctt_finding_json(FILE *out, struct ctt_judge *j, const struct ctt_finding *f, uint32_t run)
{
	const struct ctt_coro *c = f->coro;
	char on[5000];

	fprintf(out,
		"{\"verdict\":\"%s\",\"certainty\":\"%s\",\"id\":\"%016" PRIx64
		"\",\"probe_id\":%" PRIu64,
		ctt_verdict_name(f->verdict), ctt_certainty_name(f->certainty),
		ctt_finding_id(f, run), c->id);
	if (c->name)
		json_text(out, "name", c->name);
	if (ctt_waits(c)) {
		json_text(out, "on", ctt_wait_text(on, sizeof(on), c));
		ctt_legs_json(out, j->model, c);
	}
	fputs(",\"site\":", out);
	ctt_site_json(out, ctt_model_site(j->model, c->site));
	fprintf(out, ",\"since\":%" PRIu64 ",\"age\":%" PRIu64, f->since, f->age_ns);
	if (run)
		fprintf(out, ",\"run\":%" PRIu32, run);
	if (f->cause.ts)
		json_cause(out, j, &f->cause);
	for (uint32_t i = 0; i < f->cycle_count; i++)
		fprintf(out, "%s%" PRIu64 "%s", i ? "," : ",\"cycle\":[", f->cycle[i],
			i + 1 == f->cycle_count ? "]" : "");
	json_behind(out, f);
	fputs(",\"evidence\":[", out);
	for (uint32_t i = 0; i < f->fact_count; i++) {
		fprintf(out, "%s{\"line\":%" PRIu64, i ? "," : "", f->facts[i].line);
		json_text(out, "what", f->facts[i].what);
		fputs("}", out);
	}
	fputs("]", out);
	json_text(out, "because", f->because);
	json_story(out, j, f);
	fputs("}\n", out);
}
