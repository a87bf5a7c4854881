/* lines.c - what lines say that are about no coroutine's own steps: threads, sites, names, the end.
 * Contracts in state.h. */
#include <string.h>

#include "base/sum.h"
#include "read/internal.h"
#include "read/lists.h"
#include "model/state.h"

static void thread_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_worker *w = keyed_get(&m->workers, ev->tid);

	w->pid = ev->thread.pid;
	w->ended = ev->thread.ended ? ev->ts : 0;
	if (ev->thread.ended) {
		w->parked = false;
		w->running = w->outers = 0;
		w->last_active = ev->ts;
	}
	if (ev->name.len)
		set_text((char **)&w->name, ev->name);
	if (ev->thread.role.len)
		set_text((char **)&w->role, ev->thread.role);
}

static void site_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_site *s = keyed_get(&m->sites, ev->site);

	set_text((char **)&s->func, ev->site_line.func);
	set_text((char **)&s->file, ev->site_line.file);
	s->line = ev->site_line.line;
}

/* The kinds that "events" counts. */
static const uint64_t events = CTT_KIND(CREATE) | CTT_KIND(RESUME) | CTT_KIND(SUSPEND) |
	CTT_KIND(WAKE) | CTT_KIND(DESTROY) | CTT_KIND(NAME) | CTT_KIND(OPEN) |
	CTT_KIND(CLOSE) | CTT_KIND(NOTIFY) | CTT_KIND(LEVEL) | CTT_KIND(ACQUIRE) |
	CTT_KIND(RELEASE) | CTT_KIND(WAKER) | CTT_KIND(PARK) | CTT_KIND(UNPARK);

/* Lines that were taken out of the trace after it was written, and not declared; or stand twice. */
static void count_vanished(struct ctt_model *m, const struct ctt_event *ev)
{
	const char *p = ev->end.lines.p, *end = p + ev->end.lines.len;
	struct ctt_text name;
	uint64_t n, seen = 0;

	for (int k = 0; k < CTT_EV_KINDS; k++)
		seen += events >> k & 1 ? m->counted[k] : 0;
	if (ev->has & CTT_HAS_VALUE && ev->end.events > seen)
		m->missing = sum(m->missing, ev->end.events - seen);
	while (p && (p = count_next(p, end, &name, &n))) {
		enum ctt_ev_kind k = ev_parse(name.p, name.len);

		if (k == CTT_EV_UNKNOWN)
			continue;	/* of several later kinds together */
		/* what it does not count, "events" does */
		m->counts_by_kind |= k == CTT_EV_CREATE || k == CTT_EV_RESUME ||
			k == CTT_EV_SUSPEND;
		if (n > m->counted[k])
			m->vanished[k] = n - m->counted[k];
		else
			m->astray = sum(m->astray, m->counted[k] - n);
	}
}

/* All that live have had their state reported: the others ended in lines that were lost. Not where
 * some of these reports are missing: then it may be one of those. */
static void end_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_coro **order;
	uint64_t reported = 0;

	m->end_lost = ev->end.lost;
	if (!m->cut)
		count_vanished(m, ev);
	/* a state line may be among what a filter left out */
	if (!(ev->has & CTT_HAS_LIVE) || m->cut)
		return;
	order = coros_sorted(&m->coros);
	for (size_t i = 0; i < m->coros.live.used; i++)
		reported += order[i]->confirmed;
	m->exact = reported >= ev->end.live;
	if (!m->exact) {
		m->missing = sum(m->missing, ev->end.live - reported);
		return;
	}
	for (size_t i = 0, n = m->coros.live.used; i < n; i++)
		if (order[i]->has_n && !order[i]->v1 && !order[i]->confirmed)
			coro_end(m, order[i], ev);
}

static void name_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_coro *c = coros_find(&m->coros, ev->probe_id);
	struct ctt_text role = ev->name_line.role;

	if (!c)
		return;
	set_text(&c->name, ev->name);
	c->system = role.len == 6 && !memcmp(role.p, "system", 6);
}

/* Of one that waits for a timer: when that ends from now on. */
static void deadline_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_coro *c = coros_find(&m->coros, ev->probe_id);

	if (!c || c->state == CTT_CORO_RUNNING || ev->ts < c->last_ts)
		return;
	legs_deadline(c, ev);
	if (c->on.kind == CTT_ON_TIMER && ev->on.kind == CTT_ON_TIMER && !c->on.text.p)
		c->on = (struct ctt_on){ CTT_ON_TIMER, ev->on.number, ev->on.number, ev->on.value,
			{ NULL, 0 } };
}

static void any_leg_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_coro *c = coros_find(&m->coros, ev->probe_id);

	if (c)
		leg_line(c, ev);
	else
		legs_early(m, ev);
}

static void stop_line(struct ctt_model *m, const struct ctt_event *ev)
{
	if (!m->stopped_at)
		m->stopped_at = ev->ts;
}

/* The states before it were right then; whatever comes after it is recorded again. */
static void start_line(struct ctt_model *m, const struct ctt_event *ev)
{
	struct ctt_coro *c;

	if (m->stopped_at && ev->ts > m->stopped_at)
		m->stopped += ev->ts - m->stopped_at;
	m->stopped_at = 0;
	while (m->confirmed.count)
		if ((c = coros_find(&m->coros, m->confirmed.id[--m->confirmed.count])))
			c->confirmed = false;
}

void line_apply(struct ctt_model *m, const struct ctt_event *ev)
{
	if (ev->kind == CTT_EV_SITE)
		site_line(m, ev);
	else if (ev->kind == CTT_EV_THREAD && ev->tid)
		thread_line(m, ev);
	else if (ev->kind == CTT_EV_LOST)
		m->lost = sum(m->lost, ev->lost.count);
	else if (ev->kind == CTT_EV_STACK)
		stacks_line(m, ev);
	else if (ev->kind == CTT_EV_SYMBOL)
		symbol_line(m, ev);
	else if (ev->kind == CTT_EV_CUT)
		m->cut = ev->cut.stands;
	else if (ev->kind == CTT_EV_END)
		end_line(m, ev);
	else if (ev->kind == CTT_EV_NAME)
		name_line(m, ev);
	else if (ev->kind == CTT_EV_LEG)
		any_leg_line(m, ev);
	else if (ev->kind == CTT_EV_DEADLINE)
		deadline_line(m, ev);
	else if (ev->kind == CTT_EV_STOP)
		stop_line(m, ev);
	else if (ev->kind == CTT_EV_START)
		start_line(m, ev);
}
