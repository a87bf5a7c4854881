/* timeline.c - a trace as tracks with slices, instants and counters. Contracts in timeline.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "timeline.h"

const char *const tl_keys[TL_KEYS] = {
	[K_CORO] = "coroutine", [K_NAME] = "name", [K_ON] = "on", [K_REASON] = "reason", [K_BY] = "woken by coroutine",
	[K_BY_TID] = "woken by thread", [K_TID] = "thread", [K_FLOW] = "flow", [K_OPEN] = "open", [K_LINE] = "line",
	[K_VALUE] = "value", [K_TARGET] = "wakes", [K_PARENT] = "parent", [K_DONE] = "done", [K_COUNT] = "count",
	[K_FROM] = "from", [K_TO] = "to", [K_CERTAINTY] = "certainty", [K_STORY] = "story", [K_BECAUSE] = "because",
	[K_UNKNOWN] = "unknown", [K_ID] = "id", [K_AGE] = "age_ns", [K_PLACE] = "place"
};
const char *const tl_categories[TL_CATEGORIES] = {
	[C_CREATED] = "created", [C_RUNNING] = "running", [C_SUSPENDED] = "suspended", [C_RUNNABLE] = "runnable",
	[C_UNKNOWN] = "unknown", [C_PARKED] = "parked", [C_WAKE] = "wake", [C_RESOURCE] = "resource", [C_LOST] = "lost",
	[C_FINDING] = "finding", [C_QUEUE] = "queue", [C_EXIT] = "exit"
};
struct buf tl_out;

static struct common opt = { .grace = JUDGE_GRACE_NS };
static struct { struct tl_run **run; uint32_t count; } runs;
static uint64_t flows;

void tl_flush(void)
{
	if (tl_out.len)
		fwrite(tl_out.p, 1, tl_out.len, stdout);
	tl_out.len = 0;
}

/* ---- names: each kept once, by what it says ---- */

struct name { struct pair key; char *text; size_t len; };
static struct table names = { .elem = sizeof(struct name) };

enum { OF_EVENT = 1, OF_VERDICT };	/* in the upper half of `b`; 0: of a state in a run */

static struct name *name_of(uint64_t a, uint64_t b)
{
	return table_get(&names, a, b);
}

static void set_name(struct tl_item *it, struct name *n, const char *text)
{
	if (!n->text) {
		n->len = strlen(text);
		n->text = malloc(n->len + 1);
		if (!n->text)
			die("corotrace", "out of memory", NULL);
		memcpy(n->text, text, n->len + 1);
	}
	it->name = n->text;
	it->name_len = n->len;
	it->name_id = (uint32_t)(n - (struct name *)names.item) + 1;
}

/* "suspended at serve server.cc:42 on fd": the kind alone, or there would be as many names as objects. */
static void state_name(struct tl_run *r, struct tl_item *it, enum tl_category state, const struct coro *c)
{
	bool waits = state == C_SUSPENDED;
	uint64_t site = waits || state == C_CREATED ? c->site : 0;
	struct name *n = name_of(site, (uint64_t)(site ? r->run : 0) << 16 | (uint64_t)state << 8 |
		(waits ? c->on.kind : ON_NONE));
	char text[700], place[512];

	if (n->text)
		text[0] = '\0';
	else
		snprintf(text, sizeof(text), "%s%s%s%s%s", tl_categories[state], site ? " at " : "",
			site ? place_text(place, sizeof(place), r->spans.model, site) : "",
			waits && c->on.kind != ON_NONE ? " on " : "",
			waits && c->on.kind != ON_NONE ? on_name(c->on.kind) : "");
	set_name(it, n, text);
}

static void event_name(struct tl_item *it, enum ev_kind kind, enum on_kind on)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s%s", kind == EV_PARK ? "parked" : ev_name(kind), on != ON_NONE ? " " : "",
		on != ON_NONE ? on_name(on) : "");
	set_name(it, name_of((uint64_t)kind << 8 | on, (uint64_t)OF_EVENT << 56), text);
}

/* "7 conn 3": of what runs on a thread. Valid until the next call. */
static void coro_name(struct tl_item *it, const struct coro *c)
{
	static struct buf b;

	b.len = 0;
	buf_number(&b, c->id);
	if (c->name && *c->name) {
		buf_byte(&b, ' ');
		buf_word(&b, c->name);
	}
	it->name = b.p;
	it->name_len = b.len;
}

/* ---- intervals ---- */

static const struct site *place(const struct tl_run *r, uint64_t site)
{
	const struct site *s = site ? model_site(r->spans.model, site) : NULL;

	return s && (*s->func || *s->file) ? s : NULL;
}

static void add_object(struct tl_item *it, const struct on *on, char buf[64])
{
	if (on->kind == ON_NONE)
		return;
	if (on->text.p)
		tl_add_text(it, K_ON, on->text.p, on->text.len);
	else
		tl_add_string(it, K_ON, on_text(buf, 64, on));
}

/* What it did, on its own track. */
static void interval(struct tl_run *r, const struct span *span, enum tl_category state)
{
	struct tl_coro *t = span->c->evidence;
	struct tl_item it = { .shape = TL_SLICE, .track = AT_CORO, .coro = t, .from = span->from, .to = span->to,
		.category = state };
	char on[64];

	t->c = span->c;
	if (span->from < t->reached) {
		r->disordered++;
		return;
	}
	t->reached = span->to;
	state_name(r, &it, state, span->c);
	it.site = place(r, span->c->site);
	if (state == C_SUSPENDED || state == C_RUNNABLE) {
		add_object(&it, &span->c->on, on);
		tl_add_string(&it, K_REASON, span->c->reason);
	}
	if (span->woken) {
		tl_add_nonzero(&it, K_BY, span->woken->by);
		tl_add_nonzero(&it, K_BY_TID, span->woken->tid);
	}
	if (state == C_RUNNING)
		tl_add_nonzero(&it, K_TID, span->c->tid);
	if (!span->ev)
		tl_add_number(&it, K_OPEN, 1);
	else
		tl_add_number(&it, K_LINE, span->ev->line);
	tl_emit(r, &it);
}

/* What ran, on its thread's. The flow from its wake ends here. */
static void running(struct tl_run *r, const struct span *span)
{
	struct tl_coro *t = span->c->evidence;
	struct tl_thread *thread = tl_thread(r, span->c->tid);
	struct tl_item it = { .shape = TL_SLICE, .thread = thread, .coro = t, .from = span->from, .to = span->to,
		.category = C_RUNNING, .flow_in = t->flow };

	it.track = tl_close(thread, span->c->id, span->to) ? AT_THREAD : BESIDE_THREAD;
	t->c = span->c;
	t->flow = 0;
	coro_name(&it, span->c);
	it.site = place(r, span->c->site);
	tl_add_number(&it, K_CORO, span->c->id);
	if (!span->ev)
		tl_add_number(&it, K_OPEN, 1);
	tl_emit(r, &it);
}

static void on_span(void *arg, const struct span *span)
{
	static const enum tl_category states[] = {
		[UNSTARTED] = C_CREATED, [RUNNING] = C_RUNNING, [SUSPENDED] = C_SUSPENDED, [RUNNABLE] = C_RUNNABLE
	};
	struct tl_coro *t = span->c->evidence;

	interval(arg, span, states[span->what]);
	if (span->what == RUNNING)
		running(arg, span);
	if (span->what == RUNNABLE && span->ev && span->ev->kind == EV_RESUME)
		t->flow = span->woken->tag;
}

static void on_gap(void *arg, const struct span *span)
{
	struct tl_coro *t = span->c->evidence;

	if (!t)
		return;
	if (span->c->state == CORO_RUNNING)
		tl_close(tl_thread(arg, span->c->tid), span->c->id, 0);
	t->flow = 0;
	interval(arg, span, C_UNKNOWN);
}

static void on_end(void *arg, struct coro *c, const struct event *ev)
{
	struct tl_run *r = arg;
	struct tl_coro *t = c->evidence;

	(void)ev;
	if (!t)
		return;
	if (c->state == CORO_RUNNING)	/* where its end was out of order: no span told of it */
		tl_close(tl_thread(r, c->tid), c->id, 0);
	t->c = c;
	if (t->told)
		tl_writer->coro_end(t);
	free(t->label);
	t->label = NULL;
}

/* ---- what threads do ---- */

static struct tl_item on_thread(struct tl_run *r, const struct event *ev, enum tl_category category)
{
	return (struct tl_item){ .shape = TL_INSTANT, .track = AT_THREAD, .thread = tl_thread(r, ev->tid), .from = ev->ts,
		.to = ev->ts, .category = category, .site = place(r, ev->site) };
}

/* A worker sleeps from its park to whatever it does next. */
static void unpark(struct tl_run *r, struct tl_thread *t, uint64_t ts, bool open)
{
	struct tl_item it = { .shape = TL_SLICE, .thread = t, .from = t->parked_since, .to = ts, .category = C_PARKED };
	bool nests = tl_close(t, 0, ts);
	struct tl_coro beside = { .run = r->run, .process = t->process, .told = true };

	t->parked_since = 0;
	if (ts < it.from)
		return;
	it.track = nests ? AT_THREAD : BESIDE_THREAD;
	it.coro = nests ? NULL : &beside;
	event_name(&it, EV_PARK, ON_NONE);
	if (open)
		tl_add_number(&it, K_OPEN, 1);
	tl_emit(r, &it);
}

static void park_line(struct tl_run *r, const struct event *ev)
{
	struct tl_thread *t = tl_thread(r, ev->tid);

	if (t->parked_since)
		unpark(r, t, ev->ts, false);
	if (ev->kind == EV_PARK && ev->ts) {
		t->parked_since = ev->ts;
		tl_open(t, 0, ev->ts);
	}
	if (ev->kind != EV_RESUME && ev->has & HAS_VALUE) {
		struct tl_item it = on_thread(r, ev, C_QUEUE);

		it.shape = TL_COUNTER;
		it.value = ev->value;
		tl_emit(r, &it);
	}
}

static void on_wake(void *arg, const struct event *ev, struct coro *c, struct woken *w)
{
	struct tl_run *r = arg;

	(void)c;
	if (ev->ts >= tl_from && ev->ts <= tl_to && ev->ts < TL_LATE)
		r->wake_flow = w->tag = ++flows;
}

static void wake_line(struct tl_run *r, const struct event *ev)
{
	struct tl_item it = on_thread(r, ev, C_WAKE);

	it.flow_out = r->wake_flow;
	r->wake_flow = 0;
	event_name(&it, ev->kind, ON_NONE);
	tl_add_number(&it, K_TARGET, ev->probe_id);
	tl_add_nonzero(&it, K_CORO, ev->by);
	tl_add_text(&it, K_ON, ev->on.text.p, ev->on.text.len);
	tl_emit(r, &it);
}

static void resource_line(struct tl_run *r, const struct event *ev)
{
	struct tl_item it = on_thread(r, ev, C_RESOURCE);

	event_name(&it, ev->kind, ev->on.kind);
	tl_add_text(&it, K_ON, ev->on.text.p, ev->on.text.len);
	tl_add_nonzero(&it, K_CORO, ev->by);
	if (ev->has & HAS_VALUE)
		tl_add_number(&it, K_VALUE, ev->value);
	tl_add_text(&it, K_NAME, ev->name.p, ev->name.len);
	tl_emit(r, &it);
}

/* ---- what befalls the run ---- */

static void lost_line(struct tl_run *r, const struct event *ev)
{
	struct coro *c = ev->has & HAS_PROBE ? model_coro(r->spans.model, ev->probe_id) : NULL;
	struct tl_item it = on_thread(r, ev, C_LOST);
	char text[64];

	if (c && c->evidence) {
		it.track = AT_CORO;
		it.coro = c->evidence;
		((struct tl_coro *)c->evidence)->c = c;
		it.thread = NULL;
	} else if (!ev->tid) {
		it.track = AT_PROCESS;
		it.process = tl_process(r, r->pid);
		it.thread = NULL;
	}
	snprintf(text, sizeof(text), "%" PRIu64 " events lost", ev->value);
	it.name = text;
	it.name_len = strlen(text);
	tl_add_number(&it, K_COUNT, ev->value);
	tl_add_nonzero(&it, K_FROM, ev->from);
	tl_add_nonzero(&it, K_TO, ev->to);
	tl_emit(r, &it);
}

static void on_process(struct tl_run *r, uint64_t pid, uint64_t ts, enum tl_category category, const char *text)
{
	struct tl_item it = { .shape = TL_INSTANT, .track = AT_PROCESS, .process = tl_process(r, pid), .from = ts, .to = ts,
		.category = category, .name = text, .name_len = strlen(text) };

	tl_emit(r, &it);
}

static void exit_line(struct tl_run *r, const struct event *ev)
{
	char text[64];

	snprintf(text, sizeof(text), "exit %s %" PRIu64, ev->signaled ? "signal" : "status", ev->value);
	on_process(r, ev->pid ? ev->pid : r->pid, ev->ts, C_EXIT, text);
}

static void process_line(struct tl_run *r, const struct event *ev)
{
	size_t from = 0;

	if (ev->ended || !ev->value)
		return;
	if (!r->pid)
		r->pid = ev->value;
	for (size_t i = 0; i + 1 < ev->path.len; i++)
		if (ev->path.p[i] == '/')
			from = i + 1;
	tl_process_named(r, ev->value, ev->path.p ? ev->path.p + from : NULL, ev->path.len - from);
}

/* ---- a run ---- */

static uint64_t wall_of(const struct event *ev)
{
	static const char key[] = "\"wall\":";
	char digits[24];
	uint64_t wall;

	for (size_t i = 0; ev->kind == EV_META && i + sizeof(key) + 1 < ev->raw_len; i++)
		if (!memcmp(ev->raw + i, key, sizeof(key) - 1)) {
			const char *p = ev->raw + i + sizeof(key) - 1;
			size_t len = 0;

			while (len < sizeof(digits) - 1 && p + len < ev->raw + ev->raw_len && p[len] >= '0' && p[len] <= '9')
				len++;
			memcpy(digits, p, len);
			digits[len] = '\0';
			return parse_number(digits, 0, INT64_MAX, &wall) ? wall : 0;
		}
	return 0;
}

static struct tl_run *run_of(uint32_t run)
{
	while (run >= runs.count) {
		struct tl_run **grown = realloc(runs.run, (runs.count + 1) * sizeof(*grown)), *r = calloc(1, sizeof(*r));

		if (!grown || !r)
			die("corotrace", "out of memory", NULL);
		runs.run = grown;
		r->run = runs.count;
		runs.run[runs.count++] = r;
		r->processes.elem = sizeof(struct tl_process);
		r->threads.elem = sizeof(struct tl_thread);
		r->groups.elem = sizeof(struct tl_group);
		r->spans = (struct spans){ .size = sizeof(struct tl_coro), .arg = r, .on_span = on_span, .on_gap = on_gap,
			.on_wake = on_wake, .on_end = on_end };
		spans_start(&r->spans);
	}
	return runs.run[run];
}

static void start(const struct event *ev)
{
	static bool started;

	if (started || !ev->ts || ev->ts >= TL_LATE)
		return;
	started = true;
	tl_writer->begin(ev->ts, wall_of(ev));
	if (opt.from.set)
		tl_from = when_ns(&opt.from, ev->ts);
	if (opt.to.set)
		tl_to = when_ns(&opt.to, ev->ts);
}

static void apply(struct tl_run *r, const struct event *ev)
{
	struct coro *c;

	if (ev->kind == EV_PROCESS)
		process_line(r, ev);
	else if (ev->kind == EV_LOST)
		lost_line(r, ev);
	else if (ev->kind == EV_EXIT)
		exit_line(r, ev);
	else if (ev->tid && (ev->kind == EV_PARK || ev->kind == EV_UNPARK || ev->kind == EV_RESUME))
		park_line(r, ev);
	c = spans_apply(&r->spans, ev);
	if (ev->kind == EV_WAKE)
		wake_line(r, ev);
	else if (ev->kind >= EV_OPEN && ev->kind <= EV_RELEASE)
		resource_line(r, ev);
	else if (ev->kind == EV_THREAD && ev->tid)
		tl_thread_named(r, ev->tid);
	else if (ev->kind == EV_NAME && (c = model_coro(r->spans.model, ev->probe_id)))
		tl_coro_named(r, c);
	else if (c && c->state == CORO_RUNNING && c->last_line == ev->line && c->last_ts == ev->ts)
		tl_open(tl_thread(r, c->tid), c->id, ev->ts);
}

/* ---- the end ---- */

static void finding(struct tl_run *r, struct judge *j, const struct finding *f)
{
	struct coro *c = model_coro(r->spans.model, f->coro->id);
	struct tl_item it = { .shape = TL_INSTANT, .track = AT_CORO, .from = f->cause.line ? f->cause.ts : f->since,
		.category = C_FINDING };
	char *story = NULL;
	size_t len;
	FILE *mem = open_memstream(&story, &len);

	if (!c || !c->evidence || !mem)
		return;
	finding_story(mem, j, f);
	if (fclose(mem))
		die("corotrace", "out of memory", NULL);
	it.to = it.from;
	it.coro = c->evidence;
	((struct tl_coro *)c->evidence)->c = c;
	set_name(&it, name_of((uint64_t)f->verdict, (uint64_t)OF_VERDICT << 56), verdict_name(f->verdict));
	it.site = place(r, c->site);
	tl_add_string(&it, K_CERTAINTY, certainty_name(f->certainty));
	tl_add_text(&it, K_STORY, story, len);
	tl_add_string(&it, K_BECAUSE, f->because);
	tl_add_string(&it, K_UNKNOWN, f->unknown);
	tl_add_number(&it, K_AGE, f->age_ns);
	tl_emit(r, &it);
	free(story);
}

static void finish(struct tl_run *r, struct judge *j, struct trace *in)
{
	const struct trace_run *facts = trace_run(in, r->run);
	struct model *m = r->spans.model;
	const struct finding *f;
	struct coro *c;
	size_t n;

	spans_finish(&r->spans, model_last_ts(m), !model_lost(m) && !facts->bad && !facts->cut);
	for (size_t i = 0; i < r->threads.count; i++) {
		struct tl_thread *t = table_at(&r->threads, i);

		if (t->parked_since)
			unpark(r, t, model_last_ts(m), true);
	}
	if (!facts->ended && !facts->v1)
		on_process(r, r->pid, model_last_ts(m), C_LOST, "no end line: the trace was cut off");
	f = judge_findings(j, facts, opt.grace, &n);
	for (size_t i = 0; i < n; i++)
		finding(r, j, &f[i]);
	for (size_t i = 0; (c = model_next(m, &i));)
		on_end(r, c, NULL);
}

static void run_free(struct tl_run *r)
{
	for (size_t i = 0; i < r->threads.count; i++)
		free(((struct tl_thread *)table_at(&r->threads, i))->open);
	table_free(&r->threads);
	table_free(&r->processes);
	table_free(&r->groups);
	spans_free(&r->spans);
	free(r);
}

static void say(const char *program, uint64_t n, const char *what)
{
	if (n && !(opt.flags & TRACE_QUIET))
		fprintf(stderr, "%s: %" PRIu64 " %s\n", program, n, what);
}

int timeline_main(int argc, char *argv[], const struct timeline_program *p)
{
	char **files = common_parse(argc, argv, p->program, &opt);
	struct trace *in = trace_open(files, p->program->name);
	struct judges judges = { 0 };
	struct event ev;

	tl_writer = p->writer;
	trace_set(in, opt.flags | TRACE_STREAMS);
	trace_on_bad(in, judges_bad, &judges);
	while (trace_next(in, &ev) && !ferror(stdout)) {
		start(&ev);
		judges_apply(&judges, &ev);
		apply(run_of(ev.run), &ev);
	}
	judges_end(&judges);
	for (uint32_t i = 0; i < runs.count; i++) {
		finish(runs.run[i], judges_get(&judges, i), in);
		say(p->program->name, runs.run[i]->spans.unknown, "stretches with lines missing in them: state unknown");
		say(p->program->name, runs.run[i]->disordered, "stretches out of order: left out");
		run_free(runs.run[i]);
	}
	say(p->program->name, tl_late, "events from 2^62 ns on: left out");
	judges_free(&judges);
	free(runs.run);
	for (size_t i = 0; i < names.count; i++)
		free(((struct name *)table_at(&names, i))->text);
	table_free(&names);
	if (trace_stats(in)->lines)
		p->end();
	tl_flush();
	free(tl_out.p);
	return trace_finish(in, 0);
}
