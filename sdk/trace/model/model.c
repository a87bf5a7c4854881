/* model.c - the fold: what each live coroutine of a run is doing, by the events so far. Contracts
 * in cttrace/model.h. */
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "read/internal.h"
#include "model/state.h"

/* Why an own line changes nothing, or what it begins: see struct ctt_coro. */
enum order { NEWER, LATE, REUSED };

static enum order order_of(const struct ctt_coro *c, const struct ctt_event *ev, uint64_t order)
{
	if (!c->order || !order)	/* no number to go by: the file's order is all there is */
		return NEWER;
	if (order > c->order)
		return NEWER;
	if (!ev->v1)
		return LATE;
	if (order < c->order)
		return ev->ts > c->last_ts ? REUSED : LATE;
	/* Version 1 counts laps of eight slots: within a lap, time, then the file's order (slots
	 * are read upwards). */
	if (ev->has & CTT_HAS_N)
		return ev->ts > c->last_ts ? REUSED : LATE;
	return ev->ts < c->last_ts ? LATE : NEWER;
}

/* A wake counts from its own time: one older than the last resume brought that resume about. */
static void apply_wake(struct ctt_coro *c, const struct ctt_event *ev)
{
	if (ev->ts < c->resumed || ev->ts < c->wake_ts || ev->ts < c->created)
		return;
	c->wake_ts = ev->ts;
	c->wake_line = ev->line;
	c->wake_by = ev->by;
	c->wake_tid = ev->tid;
	c->wake_site = ev->site;
	c->wake_stack = ev->has & CTT_HAS_STACK ? ev->stack : 0;
	c->wake_kind = ev->on.kind != CTT_ON_NONE && ev->on.known ? ev->on.kind : CTT_ON_NONE;
	c->wake_key = c->wake_kind ? ctt_on_key(&ev->on) : 0;
	if (c->state != CTT_CORO_RUNNING && ev->ts >= c->last_ts) {
		c->state = CTT_CORO_RUNNABLE;
		c->since = ev->ts;
	}
}

static void apply_create(struct ctt_coro *c, const struct ctt_event *ev)
{
	c->created = ev->ts;
	c->create_line = ev->line;
	c->parent = ev->parent;
	c->spawn_site = ev->site;
	if (ev->kind == CTT_EV_CREATE)
		c->untraced = ev->create.untraced;
	if (c->state != CTT_CORO_CREATED || c->last_line)
		return;			/* it has run already: its line came late */
	c->site = ev->site;
	c->since = ev->ts;
}

static inline void apply_resume(struct ctt_coro *c, const struct ctt_event *ev)
{
	c->state = CTT_CORO_RUNNING;
	c->since = c->resumed = ev->ts;
	c->resume_line = ev->line;
	c->since_before = c->doubted = c->leaked = c->no_wakers = c->no_refs = c->closed = false;
	c->named_late = false;
	if (c->wake_ts <= ev->ts)
		c->wake_ts = 0;
}

static __attribute__((noinline)) void set_texts(struct ctt_coro *c, const struct ctt_event *ev)
{
	if (ev->on.kind != CTT_ON_NONE && ev->on.known && !ev->on.number) {
		coro_on_text(c, &ev->on);
	} else {
		free((char *)c->on.text.p);
		c->on.text = (struct ctt_text){ NULL, 0 };
	}
	if (ev->reason.len || c->reason)
		set_text(&c->reason, ev->reason);
	c->has_texts = c->on.text.p || c->reason;
}

static inline void apply_suspend(struct ctt_coro *c, const struct ctt_event *ev)
{
	bool woken = c->wake_ts >= ev->ts;

	c->state = woken ? CTT_CORO_RUNNABLE : CTT_CORO_SUSPENDED;
	c->since = woken ? c->wake_ts : ev->ts;
	c->site = ev->site;
	/* Not c->on = ev->on: a wide load of what was just written in parts has to wait for all of
	 * them. */
	c->on.kind = ev->on.kind;
	c->on.known = ev->on.known;
	c->on.number = ev->on.number;
	c->on.value = ev->on.value;
	if ((!ev->on.number && ev->on.kind != CTT_ON_NONE) || c->has_texts || ev->reason.len)
		set_texts(c, ev);
	if (c->legs || c->next_legs)
		legs_wait(c, ev);
	if (ev->has & CTT_HAS_STACK || c->has_stack) {
		c->has_stack = ev->has & CTT_HAS_STACK;
		c->stack = ev->stack;
	}
}

/* A gap in n: lines of its own are missing before this one. */
static void count_missing(struct ctt_model *m, struct ctt_coro *c, const struct ctt_event *ev)
{
	bool before = m->late && (c->before || !c->order);
	uint64_t gap;

	c->before = false;
	if (!(ev->has & CTT_HAS_N) || ev->n <= c->order + 1 || (c->order && !c->has_n) || before)
		return;
	gap = ev->n - c->order - 1;
	c->missing = sum(c->missing, gap);
	m->missing = sum(m->missing, gap);
	m->gaps = sum(m->gaps, gap);
}

/* Nobody writes them so: n rises, and time does not fall. Version 1's slots are read as they lie. */
static inline bool is_astray(const struct ctt_coro *c, const struct ctt_event *ev)
{
	return !ev->v1 && ev->kind != CTT_EV_STATE && c->has_n && ev->has & CTT_HAS_N &&
		(ev->n <= c->order || ev->ts < c->last_ts);
}

static inline void latest(struct ctt_coro *c, const struct ctt_event *ev, uint64_t order)
{
	c->v1 |= ev->v1;
	c->last_ts = ev->ts;
	c->last_line = ev->line;
	c->tid = ev->tid;
	if (order)
		c->order = order;
	c->has_n = ev->has & CTT_HAS_N;
	if (ev->addr)
		c->frame = ev->addr;
}

static void snapshot_state(struct ctt_coro *c, const struct ctt_event *ev)
{
	c->since_before = ev->state.since_before;
	c->doubted = ev->state.doubt.len;
	c->leaked = ev->state.leaked;
	c->closed = ev->state.closed;
	c->no_wakers = ev->has & CTT_HAS_WAKERS && !ev->state.wakers;
	c->no_refs = ev->has & CTT_HAS_REFS && !ev->state.refs;
}

static void apply_own(
	struct ctt_model *m, struct ctt_coro *c, const struct ctt_event *ev, uint64_t order)
{
	if (ev->kind == CTT_EV_RESUME || (ev->kind == CTT_EV_STATE && ev->is_active))
		apply_resume(c, ev);
	else if (ev->kind == CTT_EV_SUSPEND || (ev->kind == CTT_EV_STATE && order > 1))
		apply_suspend(c, ev);
	else
		apply_create(c, ev);	/* or the state of one that has only been created */
	if (ev->kind == CTT_EV_CREATE && !order && c->last_line)
		return;			/* a station's birth, reported after its first events */
	if (ev->kind == CTT_EV_STATE)
		snapshot_state(c, ev);
	if (ev->kind != CTT_EV_STATE)
		count_missing(m, c, ev);
	latest(c, ev, order);
	c->before |= m->before_attach;
}

/* n, of which seq is twice; or the slot's seq in version 1, which counts neither birth nor death: 0. */
static uint64_t order_number(const struct ctt_event *ev)
{
	if (ev->has & CTT_HAS_N)
		return ev->n;
	return ev->v1 ? ev->seq : ev->seq / 2;
}

static struct ctt_coro *destroy_line(
	struct ctt_model *m, struct ctt_coro *c, const struct ctt_event *ev)
{
	if (!c || ev->ts < c->first_ts)
		return NULL;	/* never seen, or the death of an earlier one at this address */
	count_missing(m, c, ev);
	coro_end(m, c, ev);
	return NULL;
}

/* Of those that are noted: who has ended since, or is noted twice, is not any more. */
static void forget_ended(struct ctt_model *m)
{
	struct ctt_coro *c;
	size_t kept = 0;

	for (size_t i = 0; i < m->confirmed.count; i++)
		if ((c = coros_find(&m->coros, m->confirmed.id[i])) && c->confirmed) {
			c->confirmed = false;
			m->confirmed.id[kept++] = c->id;
		}
	m->confirmed.count = kept;
	while (kept)
		coros_find(&m->coros, m->confirmed.id[--kept])->confirmed = true;
}

/* Noted, so that a start line need not look at all that live. */
static void confirm(struct ctt_model *m, struct ctt_coro *c, bool confirmed)
{
	if (confirmed && !c->confirmed) {
		if (m->confirmed.count > 64 + 2 * m->coros.live.used)
			forget_ended(m);
		*ADD(m->confirmed.id, m->confirmed.count, m->confirmed.room) = c->id;
	}
	c->confirmed = confirmed;
}

/* A state line for where it waits anyway may name what the suspend could not, and say that nothing
 * could wake it any more. */
static void complete(struct ctt_coro *c, const struct ctt_event *ev, uint64_t order)
{
	if (c->state != CTT_CORO_SUSPENDED || order != c->order || ev->is_active)
		return;
	c->leaked |= ev->state.leaked;
	c->no_wakers |= ev->has & CTT_HAS_WAKERS && !ev->state.wakers;
	if (!c->legs && c->on.kind == CTT_ON_NONE)
		legs_wait(c, ev);
	if (ev->has & CTT_HAS_STACK && !c->has_stack) {
		c->site = ev->has & CTT_HAS_SITE ? ev->site : c->site;
		c->stack = ev->stack;
		c->has_stack = true;
	}
	if (c->on.known || (c->on.kind != CTT_ON_NONE && ev->on.kind != c->on.kind))
		return;
	if (ev->reason.len) {
		set_text(&c->reason, ev->reason);
		c->has_texts = true;
	}
	c->named_late = ev->on.known;
	if (!ev->on.known) {
		c->on.kind = ev->on.kind;
	} else if (ev->on.number) {
		c->on = (struct ctt_on){ ev->on.kind, true, true, ev->on.value, { NULL, 0 } };
	} else {
		coro_on_text(c, &ev->on);
		c->has_texts = true;
	}
}

static __attribute__((noinline)) struct ctt_coro *own_line(
	struct ctt_model *m, struct ctt_coro *c, const struct ctt_event *ev)
{
	uint64_t order = order_number(ev);
	enum order o = NEWER;

	m->astray += c && is_astray(c, ev);
	if (ev->kind == CTT_EV_DESTROY)
		return destroy_line(m, c, ev);
	if (c) {
		o = order_of(c, ev, order);
		if (ev->kind == CTT_EV_CREATE && !order)	/* a station's birth */
			o = ev->ts > c->last_ts ? REUSED : ev->ts <= c->first_ts ? NEWER : LATE;
		if (o == REUSED)
			coro_end(m, c, ev);
	}
	if (!c || o == REUSED) {
		c = coros_add(&m->coros, ev->probe_id);
		c->first_ts = ev->ts;
		legs_take(m, c);
	}
	if (ev->kind == CTT_EV_STATE) {
		confirm(m, c, !m->before_attach);
		complete(c, ev, order);
	}
	if (o != LATE)
		apply_own(m, c, ev, order);
	return c;
}

/* A resume or suspend: what most lines are. */
static inline struct ctt_coro *run_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_coro *c = coros_find(&m->coros, ev->probe_id);

	/* Only the next event in an unbroken row is simple. */
	if (!c || !c->has_n || !(ev->has & CTT_HAS_N) || ev->n != c->order + 1 ||
		ev->ts < c->last_ts)
		return own_line(m, c, ev);
	if (ev->kind == CTT_EV_RESUME)
		apply_resume(c, ev);
	else
		apply_suspend(c, ev);
	latest(c, ev, ev->n);
	return c;
}

/* A coroutine that waits without giving its worker back. */
static void pinned_line(struct ctt_worker *w, const struct ctt_event *ev)
{
	if (ctt_on_is(&ev->on, "user:pinned"))
		w->pinned = ev->kind == CTT_EV_OPEN ? ev->by : 0;
}

/* Of those within which others ran, it and all that it had resumed leave. */
static void leaves_outer(struct ctt_worker *w, uint64_t id)
{
	for (uint32_t i = 0; i < w->outers; i++)
		if (w->outer[i] == id)
			w->outers = i;
}

/* Of several, one within another, no state says which is the inner one. */
static void runs_since_before(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_worker *w = keyed_get(&m->workers, ev->tid);

	w->running = w->running ? w->running : ev->probe_id;
}

static inline void thread_event(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_worker *w = keyed_get(&m->workers, ev->tid);

	static const uint64_t stirs = CTT_KIND(RESUME) | CTT_KIND(SUSPEND) |
		CTT_KIND(PARK) | CTT_KIND(UNPARK);

	if (ev->ts > w->last_ts)
		w->last_ts = ev->ts;
	if (stirs >> ev->kind & 1)
		w->last_active = w->last_ts;
	if (ev->kind == CTT_EV_RESUME) {
		leaves_outer(w, ev->probe_id);
		if (w->running && w->running != ev->probe_id && w->outers < CTT_NESTED)
			w->outer[w->outers++] = w->running;
		w->running = ev->probe_id;
		w->ran = w->last_ts;
	} else if (ev->kind == CTT_EV_SUSPEND || ev->kind == CTT_EV_DESTROY) {
		leaves_outer(w, ev->probe_id);
		if (w->running == ev->probe_id && w->pinned != ev->probe_id)
			w->running = 0;
	}
	if (ev->kind == CTT_EV_OPEN || ev->kind == CTT_EV_CLOSE)
		pinned_line(w, ev);
	if (w->parked && ev->ts > w->parked_since) {
		w->parked = false;
		w->parked_until = ev->ts;
	}
	if ((ev->kind == CTT_EV_PARK || ev->kind == CTT_EV_UNPARK) && ev->has & CTT_HAS_VALUE &&
		ev->ts >= w->queue_ts) {
		w->queue = ev->kind == CTT_EV_PARK ? ev->park.depth : ev->unpark.depth;
		w->queue_ts = ev->ts;
	}
	if (ev->kind != CTT_EV_PARK) {
		w->parks |= ev->kind == CTT_EV_UNPARK;	/* its park may have been lost */
		return;
	}
	w->parked = w->parks = true;
	w->running = w->outers = 0;
	w->parked_since = ev->ts;
	w->parked_until = 0;
	w->park_line = ev->line;
	w->depth = ev->has & CTT_HAS_VALUE ? ev->park.depth : UINT64_MAX;
}

static void meta_line(struct ctt_model *m, const struct ctt_event *ev)
{
	m->late = m->before_attach = ev->meta.attached;
	m->snapshot = ev->meta.snapshot;
	m->dead = ev->meta.dead;
	m->torn = ev->meta.torn;
}

static void attach_line(struct ctt_model *m, const struct ctt_event *ev)
{
	uint64_t states = m->counted[CTT_EV_STATE];

	m->before_attach = false;
	m->attached = ev->ts;
	if (ev->attach.states > states)
		m->missing = sum(m->missing, ev->attach.states - states);
}

struct ctt_coro *ctt_model_apply(struct ctt_model *m, const struct ctt_event *ev)
{
	/* The thread of these did nothing now: a state is old, the others speak about a thread. */
	static const uint64_t still = CTT_KIND(STATE) | CTT_KIND(THREAD) | CTT_KIND(LOST) |
		CTT_KIND(UNKNOWN) | CTT_KIND(SYMBOL);
	struct ctt_coro *c;

	m->counted[ev->kind]++;
	if (ev->kind == CTT_EV_META)
		meta_line(m, ev);
	else if (ev->kind == CTT_EV_ATTACH)
		attach_line(m, ev);
	else if (ev->kind == CTT_EV_END)
		m->dead |= ev->end.alive != 0;	/* stopped: as good as that */
	/* states are older than what was recorded */
	if (ev->ts && !m->before_attach && !(m->late && ev->kind == CTT_EV_STATE)) {
		if (!m->first_ts || ev->ts < m->first_ts)
			m->first_ts = ev->ts;
		if (ev->ts > m->last_ts)
			m->last_ts = ev->ts;
	}
	if (ev->tid && !(still >> ev->kind & 1))
		thread_event(m, ev);
	if (ev->tid && ev->kind == CTT_EV_STATE && ev->is_active)
		runs_since_before(m, ev);
	if (ev->kind == CTT_EV_RESUME || ev->kind == CTT_EV_SUSPEND)
		return run_line(m, ev);
	if (!is_coro_line(ev->kind)) {
		line_apply(m, ev);
		return NULL;
	}
	c = coros_find(&m->coros, ev->probe_id);
	if (ev->kind != CTT_EV_WAKE)
		return own_line(m, c, ev);
	if (c)
		apply_wake(c, ev);
	return c;
}

struct ctt_model *ctt_model_new(void)
{
	struct ctt_model *m = need(calloc(1, sizeof(*m)));

	m->workers.elem = sizeof(struct ctt_worker);
	m->sites.elem = sizeof(struct ctt_site);
	m->stacks.elem = sizeof(struct ctt_stack);
	m->symbols.elem = sizeof(struct symbol);
	return m;
}

void ctt_model_free(struct ctt_model *m)
{
	for (size_t i = 0; i < m->workers.count; i++) {
		struct ctt_worker *w = m->workers.item[i];

		free((char *)w->name);
		free((char *)w->role);
	}
	for (size_t i = 0; i < m->sites.count; i++) {
		struct ctt_site *s = m->sites.item[i];

		free((char *)s->func);
		free((char *)s->file);
	}
	stacks_free(m);
	keyed_free(&m->workers);
	keyed_free(&m->sites);
	coros_free(&m->coros);
	legs_free(&m->early);
	free(m->confirmed.id);
	free(m);
}
