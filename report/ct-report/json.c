/* json.c - the report as JSON lines: a "run", then the findings as ct-lostwake --json prints them,
 * then "pending", "crash", "suspect" and "sched" lines. Contracts in report.h. */
#include <inttypes.h>
#include <string.h>

#include "report.h"

static void text(const char *key, const char *s)
{
	printf(",\"%s\":", key);
	ctt_out_json(stdout, s, strlen(s));
}

/* JSON of the trace as it stands there, but for what acts on a terminal: only strings have that. */
static void value(const char *key, const char *json)
{
	printf(",\"%s\":", key);
	while (*json) {
		size_t n = 0;
		char *quoted;

		while ((unsigned char)json[n] >= 0x7f)
			n++;
		if (!n) {
			putchar(*json++);
			continue;
		}
		quoted = quoted_of(json, n);
		fwrite(quoted + 1, 1, strlen(quoted) - 2, stdout);
		json += n;
	}
}

static void begin(const char *what, const struct run *r)
{
	printf("{\"report\":\"%s\"", what);
	if (r->number)
		printf(",\"run\":%" PRIu32, r->number);
}

static void json_run(const struct report *rp, const struct run *r)
{
	char *what[HEALTH_MAX];
	size_t n = health_of(rp, r, what);

	begin("run", r);
	text("trace", r->source);
	if (r->command)
		value("command", r->command);
	if (r->path)
		text("path", r->path);
	if (r->host)
		value("host", r->host);
	if (r->wall)
		printf(",\"wall\":%" PRIu64, r->wall);
	printf(",\"first_ts\":%" PRIu64 ",\"last_ts\":%" PRIu64 ",\"lines\":%" PRIu64
	       ",\"events\":%" PRIu64 ",\"created\":%" PRIu64 ",\"ended\":%" PRIu64 ",\"live\":%zu",
		ctt_model_first_ts(r->model), ctt_model_last_ts(r->model), r->facts->lines,
		r->events, r->created, r->ended, ctt_judge_live(r->judge));
	for (int c = CTT_PROVEN; c < CTT_CERTAINTIES; c++)
		printf(",\"%s\":%zu", ctt_certainty_name((enum ctt_certainty)c), r->certain[c]);
	printf(",\"lost\":%" PRIu64 ",\"bad\":%" PRIu64 ",\"cut\":%s,\"end\":%s,\"health\":[",
		ctt_model_lost(r->model), r->facts->bad, r->facts->cut ? "true" : "false",
		r->facts->ended ? "true" : "false");
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", stdout);
		ctt_out_json(stdout, what[i], strlen(what[i]));
	}
	fputs("]", stdout);
	if (r->doubt)
		text("doubt", r->doubt);
	fputs("}\n", stdout);
}

static void json_pending(const struct run *r, const struct pending *p, size_t n)
{
	begin("pending", r);
	printf(",\"state\":\"%s\",\"count\":%zu", ctt_coro_state_name(p->c->state), n);
	if (p->c->on.kind != CTT_ON_NONE || p->c->legs)
		text("on", ctt_wait_name(p->c));
	fputs(",\"site\":", stdout);
	ctt_site_json(stdout, ctt_model_site(r->model, p->c->site));
	printf(",\"oldest\":%" PRIu64 ",\"probe_ids\":[", p->age);
	for (size_t i = 0; i < n; i++)
		printf("%s%" PRIu64, i ? "," : "", p[i].c->id);
	fputs("]}\n", stdout);
}

static void json_crash(const struct run *r, const struct exited *x)
{
	const struct ctt_worker *w;
	bool first = true;

	begin("crash", r);
	printf(",\"pid\":%" PRIu64 ",\"signal\":%" PRIu64 ",\"ts\":%" PRIu64 ",\"line\":%" PRIu64
	       ",\"ran\":[",
		x->pid, x->value, x->ts, x->line);
	for (size_t i = 0; (w = crash_thread(r, x, &i)); first = false) {
		const struct ctt_coro *c = ctt_model_coro(r->model, w->running);

		printf("%s{\"tid\":%" PRIu64 ",\"probe_id\":%" PRIu64, first ? "" : ",", w->tid,
			c->id);
		if (c->name)
			text("name", c->name);
		printf(",\"since\":%" PRIu64 ",\"line\":%" PRIu64 ",\"site\":", c->since,
			c->last_line);
		ctt_site_json(stdout, ctt_model_site(r->model, c->site));
		fputs("}", stdout);
	}
	fputs("]}\n", stdout);
}

static void json_suspects(const struct run *r)
{
	static const char *const names[SUSPICIONS] = { "impossible", "ran-after-its-end",
		"ran-twice-at-once" };

	for (int k = 0; k < SUSPICIONS; k++)
		for (uint64_t i = 0; i < r->suspects.count[k] && i < SUSPECTS_KEPT; i++) {
			begin("suspect", r);
			printf(",\"kind\":\"%s\",\"of\":%" PRIu64 ",\"line\":%" PRIu64, names[k],
				r->suspects.count[k], r->suspects.kept[k][i].line);
			text("what", r->suspects.kept[k][i].what);
			fputs("}\n", stdout);
		}
}

static void json_sched(const struct run *r)
{
	const struct sched_sum *s = &r->sched;

	begin("sched", r);
	printf(",\"resumes\":%" PRIu64 ",\"migrated\":%" PRIu64 ",\"running\":%" PRIu64
	       ",\"suspended\":%" PRIu64 ",\"runnable\":%" PRIu64 ",\"unknown\":%" PRIu64
	       ",\"delay\":",
		s->all.resumes, s->migrated, s->all.time[RUNNING], s->all.time[SUSPENDED],
		s->all.time[RUNNABLE], s->spans.unknown);
	hist_json(stdout, &s->all.delay);
	fputs("}\n", stdout);
}

void write_json(const struct report *rp)
{
	for (uint32_t i = 0; i < rp->runs; i++) {
		const struct run *r = rp->run[i];

		json_run(rp, r);
		for (size_t k = 0; k < r->finding_count; k++)
			ctt_finding_json(stdout, r->judge, r->findings[k], r->number);
		for (size_t k = 0, n; k < r->pending_count; k += n) {
			n = pending_group(r, k);
			json_pending(r, &r->pending[k], n);
		}
		for (size_t k = 0; k < r->exit_count; k++)
			if (is_crash(&r->exits[k]))
				json_crash(r, &r->exits[k]);
		json_suspects(r);
		json_sched(r);
	}
}
