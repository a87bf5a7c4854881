/* findings-text.c - a finding as words and as JSON. Contracts in cttrace.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = { "none", "missed-wake", "dropped-wake", "asleep-workers", "closed-resource",
		"ready-resource", "dead-awaitee", "dead-owner", "lost-waker", "deadlock", "straggler", "silent" };

	return names[v];
}

const char *certainty_name(enum certainty c)
{
	static const char *const names[] = { "proven", "suspected", "unknown" };

	return names[c];
}

static void print_on(FILE *out, const struct on *on)
{
	char buf[5000];

	on_text(buf, sizeof(buf), on);
	out_text(out, buf, strlen(buf));
}

static void print_time(FILE *out, const struct judge *j, uint64_t ts)
{
	uint64_t start = model_first_ts(j->model), at = ts > start ? ts - start : 0;

	fprintf(out, "+%" PRIu64 ".%06" PRIu64 "s", at / 1000000000, at / 1000 % 1000000);
}

/* "by worker thread 4711 "w1"" or "by coroutine 5 "acceptor"", and the place */
static void print_who(FILE *out, const struct judge *j, const struct fact *f)
{
	const struct worker *w = f->tid ? model_worker(j->model, f->tid) : NULL;
	const struct coro *by = f->by ? model_coro(j->model, f->by) : NULL;
	char site[512];

	if (by) {
		fputs(" by coroutine ", out);
		coro_text(out, by);
	} else if (f->by) {
		fprintf(out, " by coroutine %" PRIu64, f->by);
	} else if (f->tid) {
		fprintf(out, " by %sthread %" PRIu64,
			w && w->role && !strcmp(w->role, "worker") ? "worker " : "", f->tid);
		if (w && w->name && *w->name) {
			fputs(" \"", out);
			out_text(out, w->name, strlen(w->name));
			fputs("\"", out);
		}
	}
	if (f->site)
		fprintf(out, " (%s)", place_text(site, sizeof(site), j->model, f->site));
}

static void print_lines(FILE *out, const struct finding *f)
{
	fputs(f->fact_count == 1 ? " [line" : " [lines", out);
	for (uint32_t i = 0; i < f->fact_count; i++)
		fprintf(out, "%s %" PRIu64, i ? "," : "", f->facts[i].line);
	fputs(f->cycle_count > f->fact_count ? ", ...]" : "]", out);
}

static void print_cycle(FILE *out, struct judge *j, const struct finding *f)
{
	for (uint32_t i = 0; i < f->cycle_count && i < 16; i++) {
		const struct coro *c = model_coro(j->model, f->cycle[i]);

		fputs(!i ? "coroutine " : f->knot ? ", coroutine " : " -> coroutine ", out);
		coro_text(out, c);
		fputs(" waits on ", out);
		print_on(out, &c->on);
	}
	if (f->knot)
		fprintf(out, "%s: all for one another", f->cycle_count > 16 ? ", ..." : "");
	else
		fprintf(out, "%s -> back to %" PRIu64, f->cycle_count > 16 ? " -> ..." : "", f->cycle[0]);
}

static void print_cause(FILE *out, struct judge *j, const struct finding *f)
{
	if (!f->cause.ts)
		return;
	if (f->verdict == V_DEAD_AWAITEE || f->verdict == V_DEAD_OWNER) {
		fprintf(out, "; %scoroutine %" PRIu64 "%s at ", f->verdict == V_DEAD_OWNER ? "its holder " : "",
			f->cause.by, strchr(f->cause.what, ' '));
		print_time(out, j, f->cause.ts);
		return;
	}
	fprintf(out, "; %s at ", f->cause.what);
	print_time(out, j, f->cause.ts);
	print_who(out, j, &f->cause);
}

void finding_story(FILE *out, struct judge *j, const struct finding *f)
{
	const struct coro *c = f->coro;
	char age[24];

	if (f->cycle) {
		print_cycle(out, j, f);
		fprintf(out, ", for %s", out_duration(age, f->age_ns));
	} else {
		fputs("coroutine ", out);
		coro_text(out, c);
		fputs(c->state == CORO_RUNNABLE ? c->resumed ? " is runnable" : " has not run" : " waits", out);
		if (c->on.kind != ON_NONE) {
			fputs(c->state == CORO_RUNNABLE ? ", waited on " : " on ", out);
			print_on(out, &c->on);
			fputs(c->state == CORO_RUNNABLE ? "," : "", out);
		}
		fprintf(out, " for %s%s", f->verdict == V_SILENT && !j->run->ended ? "at least " : "",
			out_duration(age, f->age_ns));
		print_cause(out, j, f);
	}
	if (f->close)
		fprintf(out, "; that and its suspend are less than %d ns apart on two threads: if they happened the other "
			"way round, %s", JUDGE_CLOSE_NS,
			f->verdict == V_MISSED_WAKE ? "it was woken in time and is in a queue" :
			c->state == CORO_RUNNABLE ? "the wake came while it still ran" :
			"it went to wait afterwards, perhaps for another thing of that name");
	if (f->unknown)
		fprintf(out, "; but %s", f->unknown);
	print_lines(out, f);
}

static void json_text(FILE *out, const char *key, const char *s)
{
	fprintf(out, ",\"%s\":", key);
	out_json(out, s, strlen(s));
}

static void json_story(FILE *out, struct judge *j, const struct finding *f)
{
	char *story = NULL;
	size_t len;
	FILE *mem = open_memstream(&story, &len);

	if (!mem)
		need(NULL);
	finding_story(mem, j, f);
	if (fclose(mem))
		need(NULL);
	json_text(out, "story", story);
	free(story);
}

static void json_cause(FILE *out, struct judge *j, const struct fact *f)
{
	fprintf(out, ",\"cause\":{\"line\":%" PRIu64 ",\"ts\":%" PRIu64, f->line, f->ts);
	if (f->tid)
		fprintf(out, ",\"tid\":%" PRIu64, f->tid);
	if (f->by)
		fprintf(out, ",\"by\":%" PRIu64, f->by);
	json_text(out, "what", f->what);
	fputs(",\"site\":", out);
	site_json(out, model_site(j->model, f->site));
	fputs("}", out);
}

uint64_t finding_id(const struct finding *f, uint32_t run)
{
	return hash64(f->id + run);
}

void finding_json(FILE *out, struct judge *j, const struct finding *f, uint32_t run)
{
	const struct coro *c = f->coro;
	char on[5000];

	fprintf(out, "{\"verdict\":\"%s\",\"certainty\":\"%s\",\"id\":\"%016" PRIx64 "\",\"probe_id\":%" PRIu64,
		verdict_name(f->verdict), certainty_name(f->certainty), finding_id(f, run), c->id);
	if (c->name)
		json_text(out, "name", c->name);
	if (c->on.kind != ON_NONE)
		json_text(out, "on", on_text(on, sizeof(on), &c->on));
	fputs(",\"site\":", out);
	site_json(out, model_site(j->model, c->site));
	fprintf(out, ",\"since\":%" PRIu64 ",\"age\":%" PRIu64, f->since, f->age_ns);
	if (run)
		fprintf(out, ",\"run\":%" PRIu32, run);
	if (f->cause.ts)
		json_cause(out, j, &f->cause);
	for (uint32_t i = 0; i < f->cycle_count; i++)
		fprintf(out, "%s%" PRIu64 "%s", i ? "," : ",\"cycle\":[", f->cycle[i],
			i + 1 == f->cycle_count ? "]" : "");
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
