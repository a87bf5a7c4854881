/* gone.c - verdicts on coroutines that were destroyed where they waited, kept with what is printed
 * of them. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

static struct gone *keep(struct ctt_judge *j, const struct ctt_coro *c)
{
	struct gone *g;

	for (size_t i = 0; i < j->gone_count; i++)
		if (j->gone[i]->c.id == c->id)
			return NULL;
	if (j->gone_count >= GONE)
		return NULL;
	g = need(calloc(1, sizeof(*g)));
	g->c = *c;
	g->c.state = CTT_CORO_SUSPENDED;
	g->c.name = c->name ? strdup(c->name) : NULL;
	g->c.reason = NULL;
	g->c.legs = g->c.next_legs = NULL;
	if (c->on.kind != CTT_ON_NONE && c->on.known && !c->on.number)
		g->c.on.text.p =
			memcpy(need(malloc(c->on.text.len + 1)), c->on.text.p, c->on.text.len);
	g->c.evidence = &g->e;
	g->e.c = &g->c;
	j->gone[j->gone_count++] = g;
	return g;
}

/* Does some coroutine run on the thread that destroys? Then that one cancels. */
static bool is_cancelled(const struct ctt_judge *j, const struct ctt_event *ev)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, ev->tid);

	return w && worker_runs(w) && w->running != ev->probe_id;
}

static void keep_woken(struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_event *ev)
{
	struct evidence *e = c->evidence;
	struct gone *g;

	if (!e->on || !c->on.known || c->on.kind == CTT_ON_CORO || c->on.kind == CTT_ON_JOIN ||
		is_cancelled(j, ev) || c->wake_kind != c->on.kind ||
		c->wake_key != ctt_on_key(&c->on) || !(g = keep(j, c)))
		return;
	g->on_pid = e->on->pid;
	g->end = fact_of(ev, "destroyed");
}

/* What that thread does now: the run of a coroutine, or what it does between them since it slept. */
static struct turn turn_of(const struct ctt_judge *j, uint64_t tid)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, tid);
	const struct ctt_coro *c = w ? ctt_model_coro(j->model, w->running) : NULL;

	return (struct turn){ tid, c ? c->id : 0, c ? c->resumed : w ? w->parked_until : 0 };
}

/* Who alone could wake c: the one that holds its lock, or that it awaits. */
static struct ctt_coro *waits_for(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c ? c->evidence : NULL;
	const struct object *o = e && e->suspended && !e->woken ? e->on : NULL;

	if (!o)
		return NULL;
	if (o->kind == CTT_ON_CORO || o->kind == CTT_ON_JOIN)
		return ctt_model_coro(j->model, o->key);
	if (o->holds)
		deeds_settle(j, o->holds);
	if (!is_lockable(o) || !o->holds || o->holds->next || o->left || o->passed_on ||
		o->holds->sent || !hold_lives(o->holds))
		return NULL;
	return ctt_model_coro(j->model, o->holds->by);
}

static void keep_ring(struct ctt_judge *j, struct ctt_coro *c, const struct ctt_event *ev)
{
	uint64_t latest = 0;
	struct ctt_coro *at = c;
	struct gone *g = NULL, *first = NULL;
	uint32_t n = 0;

	do {
		latest = at->last_ts > latest ? at->last_ts : latest;
		at = waits_for(j, at);
	} while (++n < RING && at && at != c);
	if (at != c || ev->ts < latest)
		return;
	for (uint32_t i = 0; i < n; i++, at = waits_for(j, at)) {
		if (!(g = keep(j, at)))
			return;
		if (((struct evidence *)at->evidence)->on->holds)
			g->acquired = ((struct evidence *)at->evidence)->on->holds->acquired;
		if (!first)
			first = g;
		else
			first->next[first->nexts++] = at->id;
	}
	first->ring = true;
	first->since = latest;
	first->end = fact_of(ev, "destroyed");
	first->releaser = ev->kind == CTT_EV_RELEASE ? c->id : 0;
	first->released_in = turn_of(j, ev->tid);
	j->gone_unsure += !!first->releaser;
}

/* Who releases a lock while it is suspended is being destroyed: its frame's guards go first, and
 * that may be the end of a ring before any of it is said to be destroyed. */
void gone_release(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct ctt_coro *c = ev->by ? ctt_model_coro(j->model, ev->by) : NULL;
	const struct evidence *e = c ? c->evidence : NULL;

	if (e && c->state == CTT_CORO_SUSPENDED && e->suspended && !e->woken && e->has.held)
		keep_ring(j, c, ev);
}

static bool is_in(const struct gone *ring, uint64_t id)
{
	for (uint32_t i = 0; i < ring->nexts; i++)
		if (ring->next[i] == id)
			return true;
	return false;
}

/* Rings that ended by a release: of c's, which ends now, or in which it was. */
static void settle_rings(struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_event *ev)
{
	for (size_t i = 0; i < j->gone_count; i++) {
		struct gone *g = j->gone[i];
		bool goes_on = c->resumed > g->end.ts;

		if (!g->ring || !g->releaser || (g->releaser != c->id && !is_in(g, c->id)))
			continue;
		if (g->releaser != c->id) {
			g->went_on |= goes_on;
		} else if (goes_on) {		/* another had its guard */
			g->ring = false;
			j->gone_unsure--;
		} else {
			struct turn now = turn_of(j, ev->tid), *then = &g->released_in;

			g->destroyed = ev->kind == CTT_EV_DESTROY;
			g->at_once = now.tid == then->tid && now.by == then->by &&
				now.since == then->since;
		}
	}
}

void gone_note(struct ctt_judge *j, struct ctt_coro *c, const struct ctt_event *ev)
{
	const struct evidence *e = c->evidence;

	if (j->gone_unsure)
		settle_rings(j, c, ev);
	if (ev->kind != CTT_EV_DESTROY || (ev->has & CTT_HAS_DONE && ev->done) || !e ||
		!e->suspended)
		return;
	if (e->woken)
		keep_woken(j, c, ev);
	else if (e->has.held)
		keep_ring(j, c, ev);
}

/* As it was kept: it may live still, where its end is put off. */
static const struct gone *kept(const struct ctt_judge *j, uint64_t id)
{
	size_t i = 0;

	while (j->gone[i]->c.id != id)
		i++;
	return j->gone[i];
}

const struct ctt_coro *gone_coro(const struct ctt_judge *j, uint64_t id)
{
	return &kept(j, id)->c;
}

static bool goes_on(const struct ctt_judge *j, uint64_t id, uint64_t since)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, id);

	return c && c->resumed > since;
}

/* Did the one that released end the ring as it was destroyed? Its guards go ahead of that line, but
 * so does a lock that is taken away from it: if the others go on, it was destroyed in the same turn. */
static bool ended_by_destroy(const struct ctt_judge *j, const struct gone *g)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, g->releaser);
	bool went_on = g->went_on;

	if (!g->releaser)
		return true;
	for (uint32_t i = 0; i < g->nexts && !went_on; i++)
		went_on = goes_on(j, g->next[i], g->end.ts);
	return went_on ? g->at_once :
			 g->destroyed || (c && c->resumed <= g->end.ts && is_torn_down(j, c));
}

static void accuse_ring(struct ctt_judge *j, struct gone *g)
{
	struct ctt_finding f = {
		.verdict = CTT_V_DEADLOCK, .certainty = CTT_PROVEN, .coro = &g->c
	};
	const struct ctt_coro *c;
	uint32_t kinds = 0;

	if (g->end.ts - g->since < j->grace || !ended_by_destroy(j, g))
		return;
	f.cycle = need(calloc(g->nexts + 1, sizeof(*f.cycle)));
	for (uint32_t i = 0; i <= g->nexts; i++) {
		const struct gone *member = i ? kept(j, g->next[i - 1]) : g;

		c = &member->c;
		kinds |= 1u << c->on.kind;
		f.cycle[f.cycle_count++] = c->id;
		add_fact(&f, member->acquired);
		add_fact(&f, suspend_fact(c));
		if (c->last_ts > f.cause.ts)
			f.cause = suspend_fact(c);
	}
	f.gone_ts = g->end.ts;
	f.help = deadlock_help(kinds);
	f.because = "each waited for the next, the last for the first, until one of them was destroyed";
	add_finding(j, &f);
}

/* Is what it was woken for there yet, and nobody's? Permits, room, a lock or an event are there for
 * whoever comes next: only what comes from outside, or was sent, wants somebody who takes it. A
 * descriptor whose opening nobody reports, where none is ever reported to be closed, may be gone. */
static bool is_abandoned(struct ctt_judge *j, const struct gone *g)
{
	const struct object *o = object_at(j, &g->c.on, g->on_pid);

	if (!o || o->waiters || o->legs || o->closed.line || object_held(o) ||
		o->kind == CTT_ON_SEM || o->kind == CTT_ON_COND || o->kind == CTT_ON_ROOM ||
		is_lockable(o))
		return false;
	return o->kind == CTT_ON_FD ? o->opened || j->closes >> o->kind & 1 :
				      o->level_known.line && o->level;
}

static void accuse_destroyed(struct ctt_judge *j, struct gone *g)
{
	struct ctt_finding f = {
		.verdict = CTT_V_DESTROYED_WOKEN, .certainty = CTT_SUSPECTED, .coro = &g->c
	};

	if (!is_abandoned(j, g))
		return;
	f.cause = g->end;
	f.gone_ts = g->end.ts;
	f.because =
		"destroyed where they waited after they had been woken, by no coroutine; what they were woken for is there yet";
	add_fact(&f, suspend_fact(&g->c));
	add_fact(&f,
		(struct ctt_fact){ g->c.wake_line, g->c.wake_ts, g->c.wake_tid, g->c.wake_by,
			g->c.wake_site, "woken" });
	add_fact(&f, g->end);
	add_finding(j, &f);
}

void judge_gone(struct ctt_judge *j)
{
	for (size_t i = 0; i < j->gone_count; i++) {
		struct gone *g = j->gone[i];

		if (g->ring)
			accuse_ring(j, g);
		else	/* what a ring's others wait for is never abandoned */
			accuse_destroyed(j, g);
	}
}

void gone_free(struct ctt_judge *j)
{
	for (size_t i = 0; i < j->gone_count; i++) {
		free(j->gone[i]->c.name);
		if (j->gone[i]->c.on.text.p && !j->gone[i]->c.on.number)
			free((char *)j->gone[i]->c.on.text.p);
		free(j->gone[i]);
	}
}
