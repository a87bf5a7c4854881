/* order.c - are the lines of each coroutine whole and in order? Memory: a record a live
 * coroutine. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/sum.h"
#include "check.h"
#include "read/lists.h"

struct known {
	uint64_t id;
	uint32_t run;
	/* known from before a recording that came late: what lies between is no gap of its */
	bool before;
	/* seen: a line in its place; neither flag: created, which may run at once */
	bool has_n, running, suspended, seen;
	uint64_t n, seq, ts, tid;
	uint32_t reported;	/* by a state line, behind as many start lines, and 1 */
};

struct order {
	struct hash known;		/* by key_of id and run */
	struct known *spare;		/* the last one forgotten: for the next */
	problem_fn *note;
};

struct order *order_new(problem_fn *note)
{
	struct order *o = need(calloc(1, sizeof(*o)));

	o->note = note;
	return o;
}

void order_free(struct order *o)
{
	struct known *k;

	for (size_t i = 0; (k = hash_each(&o->known, &i));)
		free(k);
	hash_free(&o->known);
	free(o->spare);
	free(o);
}

/* Those of the first run, mostly the only one, stay neighbours where their ids are. */
static uint64_t key_of(uint64_t id, uint32_t run)
{
	return run ? hash_of_pair(id, run) : id;
}

static struct known *find(struct order *o, uint64_t id, uint32_t run)
{
	uint64_t hash = key_of(id, run);
	struct known *k;

	for (size_t at = hash_first(&o->known, hash); (k = hash_next(&o->known, hash, &at));)
		if (k->id == id && k->run == run)
			return k;
	return NULL;
}

static struct known *add(struct order *o, uint64_t id, uint32_t run)
{
	struct known *k = o->spare ? o->spare : need(malloc(sizeof(*k)));

	o->spare = NULL;
	*k = (struct known){ .id = id, .run = run };
	hash_add(&o->known, key_of(id, run), k);
	return k;
}

static void forget(struct order *o, struct known *k)
{
	hash_remove(&o->known, key_of(k->id, k->run), k);
	free(o->spare);
	o->spare = k;
}

/* What a box's rings had overwritten when it was attached to: each up to a time of its own, so that a coroutine
 * that changed threads has gaps among what is left. */
static bool was_overwritten(const struct tally *t, const struct known *k)
{
	return t->attached && (k->before || !k->has_n || k->ts < t->overwritten_to);
}

static void gap(uint64_t *gaps, uint64_t *missing, uint64_t *first, uint64_t count,
	const struct ctt_event *ev)
{
	if (!count)
		return;
	if (!(*gaps)++)
		*first = ev->line;
	*missing = sum(*missing, count);
}

/* n rises by one; a coroutine of which lines are missing at the front begins later. */
static void check_n(struct order *o, struct tally *t, struct known *k, const struct ctt_event *ev)
{
	uint64_t last = k->has_n ? k->n : 0;
	bool missing = ev->n > last + 1 && !was_overwritten(t, k);

	if (missing && t->cut) {
		gap(&t->held_gaps, &t->held_missing, &t->held_first, ev->n - last - 1, ev);
	} else if (missing) {
		t->missing = sum(t->missing, ev->n - last - 1);
		o->note(t, ev, P_GAP, last, ev->n, "events are missing: n jumps");
	} else if (ev->n <= last) {
		o->note(t, ev, P_BACK, last, ev->n,
			ev->n == last ? "n is repeated" : "n goes back");
	}
	k->has_n = true;
	k->before = t->before_attach;
	k->n = ev->n;
}

/* The old engine's seq. False: this line is older than one before it, and says nothing of order. */
static bool check_seq(struct tally *t, struct known *k, const struct ctt_event *ev)
{
	t->by_seq = true;
	t->odd_seq |= ev->seq & 1;
	if (k->seen && ev->seq < k->seq && ev->ts <= k->ts) {
		t->late_first = t->late++ ? t->late_first : ev->line;
		return false;
	}
	if (k->seen && ev->seq < k->seq) {
		t->reused_first = t->reused++ ? t->reused_first : ev->line;
		t->coroutines++;
		k->seq = 0;
	}
	if (ev->seq > k->seq) {
		gap(&t->number_gaps, &t->number_missing, &t->number_first, ev->seq - k->seq - 1,
			ev);
		gap(&t->slot_gaps, &t->slot_missing, &t->slot_first,
		    ev->seq > k->seq + 2 ? ((ev->seq - k->seq) / 2 - 1) * 8 : 0, ev);
	}
	k->seq = ev->seq;
	return true;
}

static void check_state(
	struct order *o, struct tally *t, struct known *k, const struct ctt_event *ev)
{
	if (ev->kind == CTT_EV_CREATE && k->seen)
		o->note(t, ev, P_STATE, 0, 0, "created while it lives");
	else if (ev->kind == CTT_EV_RESUME && k->running)
		o->note(t, ev, P_STATE, k->tid, ev->tid,
			k->tid == ev->tid ? "resumed while it runs" :
					    "resumed while it runs on another thread");
	else if (ev->kind == CTT_EV_SUSPEND && k->suspended)
		o->note(t, ev, P_STATE, 0, 0, "suspended while it is suspended");
}

static bool in_order(struct order *o, struct tally *t, struct known *k, const struct ctt_event *ev)
{
	bool whole = ev->kind != CTT_EV_STATE;	/* a state line repeats or skips by nature */

	if (whole && ev->v1 && !(ev->has & CTT_HAS_N))
		return check_seq(t, k, ev);
	if (ev->ts < k->ts)
		o->note(t, ev, P_TIME, k->ts, ev->ts, "time falls");
	if (!whole || !(ev->has & CTT_HAS_N))
		return true;
	if (!ev->v1 && ev->n == k->n + 1)	/* else what is missing explains it */
		check_state(o, t, k, ev);
	check_n(o, t, k, ev);
	return true;
}

static void own_line(struct order *o, struct tally *t, const struct ctt_event *ev)
{
	struct known *k;

	k = find(o, ev->probe_id, ev->run);
	if (!k) {
		k = add(o, ev->probe_id, ev->run);
		t->coroutines++;
		t->live++;
	}
	if (!in_order(o, t, k, ev))
		return;
	k->seen = true;
	k->running = ev->kind == CTT_EV_RESUME || (ev->kind == CTT_EV_STATE && ev->is_active);
	k->suspended = ev->kind == CTT_EV_SUSPEND;
	k->tid = ev->tid;
	k->ts = ev->ts;
	if (ev->kind == CTT_EV_STATE && !t->before_attach && k->reported != t->starts + 1) {
		k->reported = t->starts + 1;
		t->reported++;
	}
	if (ev->kind == CTT_EV_STATE && (ev->has & CTT_HAS_N)) {
		k->before = t->before_attach;
		k->n = ev->n;
		k->has_n = true;
	}
	if (ev->kind == CTT_EV_DESTROY) {
		t->reported -= k->reported == t->starts + 1;
		forget(o, k);
		t->live--;
	}
}

/* What "events" counts. */
static bool is_event(enum ctt_ev_kind k)
{
	return (k >= CTT_EV_CREATE && k < CTT_EV_STATE) || (k >= CTT_EV_NAME && k <= CTT_EV_UNPARK);
}

/* Of each kind: threads, sites, legs and the like, which it does not count, too. */
static void check_kinds(struct order *o, struct tally *t, const struct ctt_event *ev)
{
	const char *p = ev->end.lines.p, *end = p + ev->end.lines.len;
	struct ctt_text name;
	char what[80];
	uint64_t n;

	while (p && (p = count_next(p, end, &name, &n))) {
		enum ctt_ev_kind k = ev_parse(name.p, name.len);

		if (k == CTT_EV_UNKNOWN || n == t->of_kind[k] ||
			(is_event(k) && ev->end.events != t->printed))	/* which says so */
			continue;
		snprintf(what, sizeof(what), "the end line counts other %s lines than stand here",
			ctt_ev_name(k));
		o->note(t, ev, P_END, t->of_kind[k], n, what);
	}
}

static void check_end(struct order *o, struct tally *t, const struct ctt_event *ev)
{
	if ((ev->has & CTT_HAS_VALUE) && ev->end.events != t->printed && !t->cut)
		o->note(t, ev, P_END, t->printed, ev->end.events,
			"the end line counts other events than stand here");
	if (ev->end.lost != t->lost)
		o->note(t, ev, P_END, t->lost, ev->end.lost,
			"the end line counts other losses than stand here");
	if (!t->cut)
		check_kinds(o, t, ev);
	if ((ev->has & CTT_HAS_LIVE) && !t->cut && t->reported < ev->end.live)
		o->note(t, ev, P_END, t->reported, ev->end.live,
			"the end line counts other states of live coroutines than stand here");
	if ((ev->has & CTT_HAS_LIVE) && !t->v1)
		t->live = ev->end.live;	/* the others ended in lines that were lost */
}

static void check_states(struct order *o, struct tally *t, const struct ctt_event *ev)
{
	if (t->states < t->states_told)
		o->note(t, ev, P_END, t->states, t->states_told,
			"the attach line counts other states than stand before it");
}

/* What may have been left out by a filter was not, as it says later. */
static void cut_line(struct order *o, struct tally *t, const struct ctt_event *ev)
{
	char what[80];

	t->cut = ev->cut.stands;
	if (t->cut)
		return;
	check_states(o, t, ev);
	if (!t->held_gaps)
		return;
	snprintf(what, sizeof(what),
		"events are missing that no filter left out, the first at line %" PRIu64, t->held_first);
	o->note(t, ev, P_GAP, 0, 0, what);
	t->problems[P_GAP] += t->held_gaps - 1;
	t->missing = sum(t->missing, t->held_missing);
	t->held_gaps = t->held_missing = 0;
}

static void count_overwritten(struct tally *t, const struct ctt_event *ev)
{
	t->overwritten = sum(t->overwritten, ev->lost.count);
	if (ev->lost.to > t->overwritten_to)
		t->overwritten_to = ev->lost.to;
}

void order_apply(struct order *o, struct tally *t, const struct ctt_event *ev)
{
	bool coro = ev->kind >= CTT_EV_CREATE && ev->kind <= CTT_EV_STATE;

	t->events += coro;
	*(coro ? ev->v1 ? &t->v1 : &t->v2 : &t->other) += 1;
	t->printed += is_event(ev->kind);
	t->of_kind[ev->kind]++;
	if (coro && ev->kind != CTT_EV_WAKE) {
		own_line(o, t, ev);
	} else if (ev->kind == CTT_EV_WAKE) {
		t->unknown_wakes += !find(o, ev->probe_id, ev->run);
	} else if (ev->kind == CTT_EV_LOST) {
		t->lost = sum(t->lost, ev->lost.count);
		if (t->before_attach)
			count_overwritten(t, ev);
		else
			o->note(t, ev, P_LOST, ev->lost.from, ev->lost.to,
				"the recorder lost events");
	} else if (ev->kind == CTT_EV_META) {
		t->attached = t->before_attach = ev->meta.attached;
	} else if (ev->kind == CTT_EV_ATTACH) {
		t->before_attach = false;
		t->states = t->of_kind[CTT_EV_STATE];
		t->states_told = ev->attach.states;
		if (!t->cut)
			check_states(o, t, ev);
	} else if (ev->kind == CTT_EV_START) {
		t->starts++;
		t->reported = 0;
	} else if (ev->kind == CTT_EV_CUT) {
		cut_line(o, t, ev);
	} else if (ev->kind == CTT_EV_END) {
		check_end(o, t, ev);
	}
}
