/* json.c - what is not in columns: verdicts, health, threads, sites. Times are ns since the run's
 * start, ids are strings, as they may have 64 bits. Contracts in html.h; share/html/data.js reads
 * it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"

static void text(FILE *out, const char *key, const char *s)
{
	fprintf(out, ",\"%s\":", key);
	ctt_out_json(out, s, strlen(s));
}

static void function(FILE *out, const struct ctt_site *s)
{
	char *name = need(malloc(strlen(s->func) + 3));

	text(out, "func", strcat(strcpy(name, s->func), ctt_site_call(s)));
	free(name);
}

static void number(FILE *out, const char *key, uint64_t v)
{
	fprintf(out, ",\"%s\":%" PRIu64, key, v);
}

/* What a trace may say of itself is any of 64 bits, of which a double loses some: then it is a
 * text. */
static void declared(FILE *out, uint64_t v)
{
	fprintf(out, v >> 53 ? "\"%" PRIu64 "\"" : "%" PRIu64, v);
}

static void fact(FILE *out, const struct page *g, const struct ctt_fact *f)
{
	fprintf(out, "[%" PRIu64 ",%" PRId64 ",\"%" PRIu64 "\",\"%" PRIu64 "\",%" PRIu32 ",",
		f->line, run_time(g->run, f->ts), f->tid, f->by, run_site(g->run, f->site)->index);
	ctt_out_json(out, f->what, strlen(f->what));
	fputs("]", out);
}

static void story(FILE *out, struct page *g, const struct ctt_finding *f)
{
	char *s = NULL;
	size_t len;
	FILE *mem = need(open_memstream(&s, &len));

	ctt_finding_story(mem, g->run->judge, f);
	if (fclose(mem) || !s)
		need(NULL);
	text(out, "story", s);
	free(s);
}

/* Of one that was destroyed there is no record: it is number 0. */
static void finding(FILE *out, struct page *g, const struct ctt_finding *f, size_t group)
{
	const struct rec *x = hash_find(&g->run->recs, f->coro->id);

	fprintf(out, "{\"rec\":%" PRIu32 ",\"group\":%zu,\"id\":\"%016" PRIx64 "\"",
		x ? x->index : 0, group, f->id);
	number(out, "age", f->age_ns);
	story(out, g, f);
	if (f->unknown)
		text(out, "unknown", f->unknown);
	if (f->cause.ts) {
		fputs(",\"cause\":", out);
		fact(out, g, &f->cause);
	}
	fputs(",\"facts\":[", out);
	for (uint32_t i = 0; i < f->fact_count; i++) {
		fputs(i ? "," : "", out);
		fact(out, g, &f->facts[i]);
	}
	fputs("]", out);
	for (uint32_t i = 0; i < f->cycle_count && i < 1000; i++)
		fprintf(out, "%s\"%" PRIu64 "\"", i ? "," : ",\"cycle\":[", f->cycle[i]);
	fprintf(out, "%s,\"component\":%s}", f->cycle_count ? "]" : "",
		f->component ? "true" : "false");
}

/* So many of each group that FINDINGS_SHOWN suffice: what is left out has a like that is shown. */
static size_t most_of_a_group(const struct page *g)
{
	size_t most = g->findings, shown;

	do {
		shown = 0;
		for (size_t i = 0; i < g->groups; i++)
			shown += g->group[i].count < most ? g->group[i].count : most;
	} while (shown > FINDINGS_SHOWN && (most = most * 3 / 4));
	return most ? most : 1;
}

static void some_findings(FILE *out, struct page *g)
{
	size_t most = most_of_a_group(g), shown = 0;

	for (size_t i = 0; i < g->groups; i++)
		for (size_t k = 0; k < g->group[i].count && k < most; k++) {
			if (shown++ == FINDINGS_SHOWN)
				return;
			fputs(shown > 1 ? "," : "", out);
			finding(out, g, &g->group[i].first[k], i);
		}
}

static void findings(FILE *out, struct page *g)
{
	fputs(",\"groups\":[", out);
	for (size_t i = 0; i < g->groups; i++) {
		const struct ctt_finding *f = g->group[i].first;

		fprintf(out, "%s{\"verdict\":\"%s\",\"certainty\":\"%s\",\"count\":%" PRIu32,
			i ? "," : "", ctt_verdict_name(f->verdict),
			ctt_certainty_name(f->certainty), g->group[i].count);
		number(out, "site", run_site(g->run, f->coro->site)->index);
		number(out, "cause_site",
			run_site(g->run, f->cause.ts ? f->cause.site : 0)->index);
		text(out, "because", f->because);
		text(out, "help", ctt_finding_help(f));
		fprintf(out, ",\"ring\":\"%s\"}",
			!f->cycle            ? "" :
				f->component ? "component" :
					       "cycle");
	}
	fputs("],\"findings\":[", out);
	some_findings(out, g);
	fputs("]", out);
}

static void health(FILE *out, struct page *g)
{
	const struct run *r = g->run;
	const struct ctt_model *m = ctt_judge_model(r->judge);
	char late[CTT_LATE_SIZE];

	fprintf(out, ",\"health\":{\"ended\":%s,\"v1\":%s,\"exact\":%s",
		g->facts->ended ? "true" : "false", g->facts->v1 ? "true" : "false",
		ctt_model_exact(m) ? "true" : "false");
	fputs(",\"lost\":", out);
	declared(out, ctt_model_lost(m));
	number(out, "astray", ctt_model_astray(m));
	number(out, "cut", g->facts->cut);
	number(out, "bad", g->facts->bad > r->bad_count ? g->facts->bad : r->bad_count);
	if (*ctt_model_late(m, late))
		text(out, "late", late + strlen(", "));
	if (ctt_trace_nothing(g->facts))
		text(out, "nothing", ctt_trace_nothing(g->facts));
	if (g->doubt)
		text(out, "doubt", g->doubt);
	fputs(",\"bad_lines\":[", out);
	for (uint64_t i = 0; i < r->bad_count && i < BAD_TOLD; i++) {
		fprintf(out, "%s[%" PRIu64 ",", i ? "," : "", r->bad[i].line);
		ctt_out_json(out, r->bad[i].why, strlen(r->bad[i].why));
		fputs("]", out);
	}
	fputs("],\"gaps\":[", out);
	for (uint32_t i = 0; i < r->gaps; i++) {
		fprintf(out, "%s[%" PRId64 ",%" PRId64 ",", i ? "," : "", r->gap[i].from,
			r->gap[i].to);
		declared(out, r->gap[i].count);
		fputs("]", out);
	}
	fputs("]}", out);
}

static void counts(FILE *out, const struct page *g)
{
	const struct run *r = g->run;

	fputs(",\"events\":{\"none\":0", out);
	for (int k = CTT_EV_CREATE; k < CTT_EV_KINDS; k++)
		if (r->counts[k])
			number(out, ctt_ev_name((enum ctt_ev_kind)k), r->counts[k]);
	if (r->counts[CTT_EV_UNKNOWN])
		number(out, "unknown", r->counts[CTT_EV_UNKNOWN]);
	fputs("}", out);
	number(out, "lines", g->facts->lines);
	number(out, "unnamed", ctt_judge_unnamed(ctt_judge_model(r->judge)));
	number(out, "live", ctt_model_live(ctt_judge_model(r->judge)));
	number(out, "dropped", r->dropped);
	number(out, "hidden", g->hidden);
	number(out, "items", g->items);
	number(out, "detail", r->detail);
	number(out, "findings_all", g->findings);
	fprintf(out, ",\"exact_from\":%" PRId64,
		r->dropped ? r->exact_from : run_time(r, g->facts->first_ts));
}

static void lane(FILE *out, const struct lane *l, int64_t end)
{
	fprintf(out, "{\"base\":%" PRId64 ",\"width\":%" PRIu64 ",\"n\":%" PRIu32 "}", l->base,
		l->width, lane_used(l, end));
}

static void threads(FILE *out, struct page *g)
{
	const struct run *r = g->run;
	struct ctt_worker *w;
	bool some = false;

	fputs(",\"threads\":[", out);
	for (size_t i = 0; (w = ctt_model_next_worker(ctt_judge_model(r->judge), &i));
		some = true) {
		fprintf(out, "%s{\"tid\":\"%" PRIu64 "\",\"pid\":", some ? "," : "", w->tid);
		declared(out, w->pid);
		if (w->name)
			text(out, "name", w->name);
		if (w->role)
			text(out, "role", w->role);
		fprintf(out, ",\"parked\":%s,\"since\":%" PRId64 ",\"line\":%" PRIu64 "}",
			w->parked ? "true" : "false", run_time(r, w->parked_since), w->park_line);
	}
	fputs("],\"lanes\":[", out);
	some = false;
	for (size_t i = 0; i < r->workers.count; i++) {
		const struct worker_lane *l = r->workers.item[i];

		if (!l->lane.cell)
			continue;
		fprintf(out, "%s{\"tid\":\"%" PRIu64 "\",\"cells\":", some ? "," : "", l->tid);
		lane(out, &l->lane, g->end);
		fputs("}", out);
		some = true;
	}
	fputs("],\"series\":", out);
	lane(out, &r->series, g->end);
}

static void spread(FILE *out, const char *key, const struct spread *s)
{
	fprintf(out, ",\"%s\":[%" PRIu64, key, s->count);
	for (unsigned i = 0; s->count && i < 3; i++)
		fprintf(out, ",%" PRIu64, spread_quantile(s, (unsigned[]){ 500, 900, 990 }[i]));
	if (s->count)
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",\"%" PRIu64 "\"", s->max, s->sum,
			s->max_at, s->max_id);
	fputs("]", out);
}

static void sites(FILE *out, struct page *g)
{
	const struct run *r = g->run;

	fputs(",\"sites\":[", out);
	for (uint32_t i = 0; i < r->sites.count; i++) {
		const struct site *p = run_site_at(r, i);
		const struct ctt_site *s = ctt_model_site(ctt_judge_model(r->judge), p->number);

		fprintf(out, "%s{\"site\":\"%" PRIu64 "\",\"line\":", i ? "," : "", p->number);
		declared(out, s->line);
		function(out, s);
		text(out, "file", s->file);
		source_json(out, s->file, s->line);
		number(out, "suspends", p->suspends);
		number(out, "now", p->now);
		spread(out, "wait", &p->wait);
		spread(out, "delay", &p->delay);
		spread(out, "run", &p->run);
		if (p->lane.cell) {
			fputs(",\"cells\":", out);
			lane(out, &p->lane, g->end);
		}
		number(out, "wakes", p->wakes);
		fputs(",\"wakers\":[", out);
		for (int k = 0, some = 0; k < WAKERS; k++)
			if (p->waker[k].count)
				fprintf(out,
					"%s[%" PRIu32 ",\"%" PRIu64 "\",\"%" PRIu64 "\",%" PRIu64
					"]",
					some++ ? "," : "",
					run_site(g->run, p->waker[k].site)->index, p->waker[k].tid,
					p->waker[k].by, p->waker[k].count);
		fputs("]}", out);
	}
	fputs("],\"texts\":[\"\\u2026\"", out);
	for (size_t i = 1; i < r->text_count; i++) {
		fputs(",", out);
		ctt_out_json(out, r->text[i], strlen(r->text[i]));
	}
	fputs("]", out);
}

static void object_facts(FILE *out, const struct page *g, const struct object *o)
{
	const struct ctt_fact *f[] = { &o->held, &o->last, &o->closed };
	static const char *const names[] = { "held", "last", "closed" };

	for (int i = 0; i < 3; i++)
		if (f[i]->line) {
			fprintf(out, ",\"%s\":", names[i]);
			fact(out, g, f[i]);
		}
}

enum { FRAMES_SHOWN = 64 };

struct frames_out { FILE *out; size_t shown; };

static void frame(void *arg, const struct ctt_site *at, uint64_t addr)
{
	struct frames_out *o = arg;
	char buf[1024];

	if (o->shown == FRAMES_SHOWN)
		return;
	fputs(o->shown++ ? "," : "", o->out);
	if (!at)
		snprintf(buf, sizeof(buf), "0x%016" PRIx64, addr);
	else
		snprintf(buf, sizeof(buf),
			at->line          ? "%s%s %s:%" PRIu64 :
				*at->file ? "%s%s %s" :
					    "%s%s",
			at->func, ctt_site_call(at), at->file, at->line);
	ctt_out_json(o->out, buf, strlen(buf));
}

/* Innermost first. */
static void call_stack(FILE *out, const struct ctt_model *m, const struct ctt_stack *s)
{
	struct frames_out o = { out, 0 };

	fputs(",\"stack\":[", out);
	ctt_model_frames(m, s, CTT_FRAMES_OWN | CTT_FRAMES_SHORT, frame, &o);
	fputs("]", out);
}

size_t page_legs(const struct rec *x)
{
	size_t n = x->lives && x->coro->legs && x->now.kind != IT_RUNNING ? x->coro->legs->count :
									      0;

	return n < LEGS_SHOWN ? n : LEGS_SHOWN;
}

/* Each of several things that it waits for, and where. */
static void legs(FILE *out, struct run *r, const struct rec *x)
{
	const struct ctt_legs *of = x->coro->legs;
	char on[300];

	fprintf(out, ",\"legs\":{\"all\":%s,\"count\":%zu,\"of\":[", of->all ? "true" : "false",
		of->count);
	for (size_t i = 0; i < page_legs(x); i++) {
		ctt_on_text(on, sizeof(on), &of->leg[i].on);
		fputs(i ? ",[" : "[", out);
		ctt_out_json(out, on, strlen(on));
		fprintf(out, ",%" PRIu32 "]", run_site(r, of->leg[i].site)->index);
	}
	fputs("]}", out);
}

/* Of the first that live: what befell what they wait on, their stacks and their runtime's words. */
static void living(FILE *out, struct page *g)
{
	const struct run *r = g->run;
	size_t shown = 0;

	fputs(",\"living\":{\"0\":{}", out);
	for (size_t i = 1; i < g->recs && shown < FINDINGS_SHOWN; i++) {
		const struct rec *x = g->rec[i];
		const struct object *o =
			x->lives && x->now.kind == IT_SUSPENDED ? object_of(r, x->coro) : NULL;
		const struct ctt_stack *stack =
			x->lives && x->coro->has_stack && x->now.kind != IT_RUNNING ?
			ctt_model_stack(ctt_judge_model(r->judge), x->coro->stack) :
			NULL;
		const char *reason = x->lives ? x->coro->reason : NULL;

		if (!o && !stack && !reason && !page_legs(x))
			continue;
		fprintf(out, ",\"%" PRIu32 "\":{\"n\":0", x->index);
		if (o)
			object_facts(out, g, o);
		if (page_legs(x))
			legs(out, g->run, x);
		if (stack)
			call_stack(out, ctt_judge_model(r->judge), stack);
		if (reason) {
			fputs(",\"reason\":", out);
			ctt_out_json(out, reason, strlen(reason) < 1000 ? strlen(reason) : 1000);
		}
		fputs("}", out);
		shown++;
	}
	fputs("}", out);
}

void page_json(struct page *g, const struct pack *p, FILE *out)
{
	const struct run *r = g->run;

	fprintf(out,
		"{\"version\":\"%s\",\"run\":%" PRIu32 ",\"zero\":\"%" PRIu64 "\",\"first\":%" PRId64
		",\"end\":%" PRId64 ",\"meta\":%s,\"exit\":%s",
		CT_VERSION, g->number, r->start,
		run_time(r, g->facts->first_ts), g->end, r->meta_line ? r->meta_line : "null",
		r->exit_line ? r->exit_line : "null");
	findings(out, g);
	health(out, g);
	counts(out, g);
	threads(out, g);
	sites(out, g);
	living(out, g);
	fputs(",\"columns\":", out);
	pack_list(p, out);
	fputs("}", out);
}
