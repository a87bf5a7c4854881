/* events.c - what lines of a trace become in a timeline. Contracts in timeline.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "timeline/timeline.h"

static uint64_t flows;

/* ---- intervals ---- */

/* buf: of WAIT_SIZE */
enum { WAIT_SIZE = 5000 };
static void add_wait(struct tl_item *it, const struct ctt_coro *c, char *buf)
{
	if (!ctt_wait_kind(c))
		return;
	if (!c->legs && c->on.text.p)
		tl_add_text(it, K_ON, c->on.text.p, c->on.text.len);
	else
		tl_add_string(it, K_ON, ctt_wait_text(buf, WAIT_SIZE, c));
}

/* What it did, on its own track. False where that is out of order. */
static bool interval(struct tl_run *r, const struct span *span, enum tl_category state)
{
	struct tl_coro *t = span->c->span;
	struct tl_item it = { .shape = TL_SLICE,
		.track = AT_CORO,
		.coro = t,
		.from = span->from,
		.to = span->to,
		.category = state };
	char on[WAIT_SIZE];

	t->c = span->c;
	if (span->from < t->reached) {
		r->disordered++;
		return false;
	}
	t->reached = span->to;
	tl_name_state(r, &it, state, span->c);
	it.site = tl_site_at(r, span->c->site);
	if (state == C_SUSPENDED || state == C_RUNNABLE) {
		add_wait(&it, span->c, on);
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
	return true;
}

/* What ran, on its thread's. The flow from its wake ends here. */
static void running(struct tl_run *r, const struct span *span)
{
	struct tl_coro *t = span->c->span;
	struct tl_thread *thread = tl_thread(r, span->c->tid);
	struct tl_item it = { .shape = TL_SLICE,
		.thread = thread,
		.coro = t,
		.from = span->from,
		.to = span->to,
		.category = C_RUNNING,
		.flow_in = t->flow };

	it.track = tl_close(thread, span->c, span->to) ? AT_THREAD : BESIDE_THREAD;
	t->flow = 0;
	tl_name_coro(&it, span->c);
	it.site = tl_site_at(r, span->c->site);
	tl_add_number(&it, K_CORO, span->c->id);
	if (!span->ev)
		tl_add_number(&it, K_OPEN, 1);
	tl_emit(r, &it);
}

static void on_span(void *arg, const struct span *span)
{
	static const enum tl_category states[] = { [UNSTARTED] = C_CREATED,
		[RUNNING] = C_RUNNING,
		[SUSPENDED] = C_SUSPENDED,
		[RUNNABLE] = C_RUNNABLE };
	struct tl_coro *t = span->c->span;
	bool ordered = interval(arg, span, states[span->what]);

	if (span->what == RUNNING && ordered)
		running(arg, span);
	else if (span->what == RUNNING)
		tl_close(tl_thread(arg, span->c->tid), span->c, 0);
	if (span->what == RUNNABLE && span->ev && span->ev->kind == CTT_EV_RESUME)
		t->flow = span->woken->tag;
}

static void on_gap(void *arg, const struct span *span)
{
	struct tl_coro *t = span->c->span;

	if (!t)
		return;
	if (span->c->state == CTT_CORO_RUNNING)
		tl_close(tl_thread(arg, span->c->tid), span->c, 0);
	t->flow = 0;
	interval(arg, span, C_UNKNOWN);
}

void tl_coro_end(void *arg, struct ctt_coro *c, const struct ctt_event *ev)
{
	struct tl_run *r = arg;
	struct tl_coro *t = c->span;

	(void)ev;
	if (!t)
		return;
	/* where its end was out of order: no span of it was passed on */
	if (c->state == CTT_CORO_RUNNING)
		tl_close(tl_thread(r, c->tid), c, 0);
	if (t->declared)
		tl_writer->coro_end(t);
	free(t->label);
	free(t->mark.text);
	t->label = NULL;
	t->mark = (struct kept){ NULL, 0 };
}

/* ---- what threads do ---- */

static struct tl_item on_thread(
	struct tl_run *r, const struct ctt_event *ev, enum tl_category category)
{
	return (struct tl_item){ .shape = TL_INSTANT,
		.track = AT_THREAD,
		.thread = tl_thread(r, ev->tid),
		.from = ev->ts,
		.to = ev->ts,
		.category = category,
		.site = tl_site_at(r, ev->site) };
}

/* A worker sleeps from its park to whatever it does next. */
static void unpark(struct tl_run *r, struct tl_thread *t, uint64_t ts, bool open)
{
	struct tl_item it = { .shape = TL_SLICE,
		.thread = t,
		.from = t->parked_since,
		.to = ts,
		.category = C_PARKED };
	bool nests = tl_close(t, NULL, ts);

	t->parked_since = 0;
	if (ts < it.from)
		return;
	it.track = nests ? AT_THREAD : BESIDE_THREAD;
	tl_name_event(&it, CTT_EV_PARK, CTT_ON_NONE);
	if (open)
		tl_add_number(&it, K_OPEN, 1);
	tl_emit(r, &it);
}

static void park_line(struct tl_run *r, const struct ctt_event *ev)
{
	struct tl_thread *t = tl_thread(r, ev->tid);

	if (t->parked_since)
		unpark(r, t, ev->ts, false);
	if (ev->kind == CTT_EV_PARK && ev->ts) {
		t->parked_since = ev->ts;
		tl_open(t, NULL, ev->ts);
	}
	if (ev->kind != CTT_EV_RESUME && ev->has & CTT_HAS_VALUE) {
		struct tl_item it = on_thread(r, ev, C_QUEUE);

		it.shape = TL_COUNTER;
		it.value = ctt_ev_value(ev);
		tl_emit(r, &it);
	}
}

static void on_wake(void *arg, const struct ctt_event *ev, struct ctt_coro *c, struct woken *w)
{
	struct tl_run *r = arg;

	(void)c;
	if (ev->ts >= tl_from && ev->ts <= tl_to && ev->ts < TL_LATE)
		r->wake_flow = w->tag = ++flows;
}

static void wake_line(struct tl_run *r, const struct ctt_event *ev)
{
	struct tl_item it = on_thread(r, ev, C_WAKE);

	it.flow_out = r->wake_flow;
	r->wake_flow = 0;
	tl_name_event(&it, ev->kind, CTT_ON_NONE);
	tl_add_number(&it, K_TARGET, ev->probe_id);
	tl_add_nonzero(&it, K_CORO, ev->by);
	tl_add_text(&it, K_ON, ev->on.text.p, ev->on.text.len);
	tl_emit(r, &it);
}

static void resource_line(struct tl_run *r, const struct ctt_event *ev)
{
	struct tl_item it = on_thread(r, ev, C_RESOURCE);

	tl_name_event(&it, ev->kind, ev->on.kind);
	tl_add_text(&it, K_ON, ev->on.text.p, ev->on.text.len);
	tl_add_nonzero(&it, K_CORO, ev->by);
	if (ev->has & CTT_HAS_VALUE)
		tl_add_number(&it, K_VALUE, ctt_ev_value(ev));
	tl_add_text(&it, K_NAME, ev->name.p, ev->name.len);
	tl_emit(r, &it);
}

/* ---- what befalls the run ---- */

static void lost_line(struct tl_run *r, const struct ctt_event *ev)
{
	struct ctt_coro *c =
		ev->has & CTT_HAS_PROBE ? ctt_model_coro(r->spans.model, ev->probe_id) : NULL;
	struct tl_item it = on_thread(r, ev, C_LOST);
	char text[64];

	if (c && c->span) {
		it.track = AT_CORO;
		it.coro = c->span;
		((struct tl_coro *)c->span)->c = c;
		it.thread = NULL;
	} else if (!ev->tid) {
		it.track = AT_PROCESS;
		it.process = tl_process(r, r->pid);
		it.thread = NULL;
	}
	snprintf(text, sizeof(text), "%" PRIu64 " events lost", ev->lost.count);
	it.name = text;
	it.name_len = strlen(text);
	tl_add_number(&it, K_COUNT, ev->lost.count);
	tl_add_nonzero(&it, K_FROM, ev->lost.from);
	tl_add_nonzero(&it, K_TO, ev->lost.to);
	tl_emit(r, &it);
}

void tl_befall(
	struct tl_run *r, uint64_t pid, uint64_t ts, enum tl_category category, const char *text)
{
	struct tl_item it = { .shape = TL_INSTANT,
		.track = AT_PROCESS,
		.process = tl_process(r, pid),
		.from = ts,
		.to = ts,
		.category = category,
		.name = text,
		.name_len = strlen(text) };

	tl_emit(r, &it);
}

static void exit_line(struct tl_run *r, const struct ctt_event *ev)
{
	char text[64];

	snprintf(text, sizeof(text), "exit %s %" PRIu64, ev->exit.signaled ? "signal" : "status",
		ev->exit.status);
	tl_befall(r, ev->exit.pid ? ev->exit.pid : r->pid, ev->ts, C_EXIT, text);
}

static void process_line(struct tl_run *r, const struct ctt_event *ev)
{
	const struct ctt_ev_process *p = &ev->process;
	size_t from = 0;

	if (p->ended || !p->pid)
		return;
	if (!r->pid)
		r->pid = p->pid;
	for (size_t i = 0; i + 1 < p->path.len; i++)
		if (p->path.p[i] == '/')
			from = i + 1;
	tl_process_named(r, p->pid, p->path.p ? p->path.p + from : NULL, p->path.len - from);
}

/* ---- a line, a finding, the end ---- */

void tl_apply(struct tl_run *r, const struct ctt_event *ev)
{
	struct ctt_coro *c;

	if (ev->kind == CTT_EV_PROCESS)
		process_line(r, ev);
	else if (ev->kind == CTT_EV_LOST)
		lost_line(r, ev);
	else if (ev->kind == CTT_EV_EXIT)
		exit_line(r, ev);
	else if (ev->tid &&
		(ev->kind == CTT_EV_PARK || ev->kind == CTT_EV_UNPARK || ev->kind == CTT_EV_RESUME))
		park_line(r, ev);
	if (ev->kind == CTT_EV_SITE)
		tl_sites_change();
	c = spans_before(&r->spans, ev);
	ctt_judges_apply(r->judges, ev);
	c = spans_after(&r->spans, ev, c);
	if (ev->kind == CTT_EV_WAKE)
		wake_line(r, ev);
	else if (ev->kind >= CTT_EV_OPEN && ev->kind <= CTT_EV_RELEASE)
		resource_line(r, ev);
	else if (ev->kind == CTT_EV_THREAD && ev->tid)
		tl_thread_named(r, ev->tid);
	else if (ev->kind == CTT_EV_NAME && (c = ctt_model_coro(r->spans.model, ev->probe_id)))
		tl_coro_named(r, c);
	else if (c && c->state == CTT_CORO_RUNNING && c->last_line == ev->line &&
		c->last_ts == ev->ts)
		tl_open(tl_thread(r, c->tid), c, ev->ts);
}

void tl_finding(struct tl_run *r, struct ctt_judge *j, const struct ctt_finding *f)
{
	struct ctt_coro *c = ctt_model_coro(r->spans.model, f->coro->id);
	struct tl_item it = { .shape = TL_INSTANT,
		.track = AT_CORO,
		.from = f->cause.line ? f->cause.ts : f->since,
		.category = C_FINDING };
	char *story = NULL;
	size_t len;
	FILE *mem;

	mem = need(open_memstream(&story, &len));
	ctt_finding_story(mem, j, f);
	if (fclose(mem) || !story)
		need(NULL);
	it.to = it.from;
	if (c && c->span) {
		it.coro = c->span;
		((struct tl_coro *)c->span)->c = c;
	/* destroyed since, when its program took itself apart: its track has ended */
	} else {
		it.track = AT_PROCESS;
		it.process = tl_process(r, r->pid);
		tl_add_number(&it, K_CORO, f->coro->id);
	}
	tl_name_verdict(&it, f->verdict);
	it.site = tl_site_at(r, f->coro->site);
	tl_add_string(&it, K_CERTAINTY, ctt_certainty_name(f->certainty));
	tl_add_text(&it, K_STORY, story, len);
	tl_add_string(&it, K_BECAUSE, f->because);
	tl_add_string(&it, K_UNKNOWN, f->unknown);
	tl_add_number(&it, K_AGE, f->age_ns);
	tl_emit(r, &it);
	free(story);
}

void tl_end(struct tl_run *r)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		struct tl_thread *t = table_at(&r->threads, i);

		if (t->parked_since)
			unpark(r, t, ctt_model_last_ts(r->spans.model), true);
	}
}

void tl_start(struct tl_run *r)
{
	r->processes.elem = sizeof(struct tl_process);
	r->threads.elem = sizeof(struct tl_thread);
	r->groups.elem = sizeof(struct tl_group);
	r->spans = (struct spans){ .size = sizeof(struct tl_coro),
		.arg = r,
		.on_span = on_span,
		.on_gap = on_gap,
		.on_wake = on_wake,
		.on_end = tl_coro_end };
	spans_share(&r->spans, ctt_judge_model(ctt_judges_get(r->judges, r->run)));
}
