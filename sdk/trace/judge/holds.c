/* holds.c - who has which lock or permit, and to whom it went. */
#include <stdlib.h>

#include "judge/judge.h"

bool object_held(const struct object *o)
{
	return !has_ends(o) && (o->holds || o->left);
}

bool hold_doubted(const struct object *o)
{
	return (o->overlaps && !o->shares) || (o->again && !o->reenters);
}

static void give(struct hold *h, struct ctt_coro *c)
{
	struct evidence *e = c ? evidence_of(c) : NULL;

	h->prev_held = e ? &e->held : NULL;
	h->next_held = e ? e->held : NULL;
	if (h->next_held)
		h->next_held->prev_held = &h->next_held;
	if (e)
		e->held = h;
}

static void take_away(struct hold *h)
{
	if (h->prev_held)
		*h->prev_held = h->next_held;
	if (h->prev_held && h->next_held)
		h->next_held->prev_held = h->prev_held;
	h->prev_held = NULL;
}

enum { FEW = 8 };		/* are looked through one by one */

static uint64_t holder(uint64_t by, uint64_t tid)
{
	return by ? by : ~tid;
}

static void enter_crowd(struct object *o, struct hold *h)
{
	if (!o->crowd && o->held > FEW) {
		o->crowd = need(calloc(1, sizeof(*o->crowd)));
		for (h = o->holds; h; h = h->next)
			hash_add(o->crowd, holder(h->by, h->tid), h);
	} else if (o->crowd) {
		hash_add(o->crowd, holder(h->by, h->tid), h);
	}
}

static void leave_crowd(struct object *o, const struct hold *h)
{
	if (o->crowd)
		hash_remove(o->crowd, holder(h->by, h->tid), h);
	if (o->crowd && !o->held) {
		hash_free(o->crowd);
		free(o->crowd);
		o->crowd = NULL;
	}
}

static void unlink_hold(struct hold *h)
{
	take_away(h);
	*h->prev = h->next;
	if (h->next)
		h->next->prev = h->prev;
	h->object->held--;
	leave_crowd(h->object, h);
}

static void drop_hold(struct hold *h)
{
	unlink_hold(h);
	free(h);
}

void drop_holds(struct object *o)
{
	while (o->holds)
		drop_hold(o->holds);
	free(o->left);
	o->left = NULL;
}

void holds_unseen(struct evidence *e)
{
	for (struct hold *h = e->held, *next; h; h = next) {
		next = h->next_held;
		if (h->seen)
			drop_hold(h);
	}
}

struct hold *hold_find(const struct object *o, uint64_t by, uint64_t tid)
{
	struct hold *h = o->crowd ? NULL : o->holds;
	size_t at;

	for (; h; h = h->next)
		if (h->by == by && (by || h->tid == tid))
			return h;
	if (o->crowd)
		for (at = hash_first(o->crowd, holder(by, tid));
			(h = hash_next(o->crowd, holder(by, tid), &at));)
			if (h->by == by && (by || h->tid == tid))
				return h;
	return NULL;
}

/* A finding shows the last of those who left it locked; so they do not add up. */
static void leave_locked(struct hold *h)
{
	unlink_hold(h);
	free(h->object->left);
	h->object->left = h;
}

void hold_pass(struct hold *h, struct ctt_coro *heir, struct ctt_fact end)
{
	h->ended = end;
	if (!heir || hold_find(h->object, heir->id, 0)) {
		leave_locked(h);
		return;
	}
	take_away(h);
	if (h->object->crowd)
		hash_remove(h->object->crowd, holder(h->by, h->tid), h);
	h->by = heir->id;
	if (h->object->crowd)
		hash_add(h->object->crowd, holder(h->by, h->tid), h);
	h->inherited = true;
	give(h, heir);
}

static bool is_result_of(const struct object *o, uint64_t id)
{
	return o && o->kind == CTT_ON_CORO && o->key == id;
}

/* Who waits for the result of that one now; 0: nobody. */
static uint64_t awaiter_of(struct ctt_judge *j, uint64_t id)
{
	const struct ctt_coro *c = ctt_model_coro(j->model, id);
	const struct evidence *e = c ? c->evidence : NULL;
	const struct ctt_coro *a = e && e->awaiter ? ctt_model_coro(j->model, e->awaiter) : NULL;
	bool waits = false;

	e = a ? a->evidence : NULL;
	if (!e || a->state != CTT_CORO_SUSPENDED)
		return 0;
	for (uint32_t i = 0; e->legs && i < e->legs->count; i++)
		waits |= is_result_of(e->legs->leg[i].on, id);
	return waits || is_result_of(e->on, id) ? a->id : 0;
}

enum { FRAMES = 64 };			/* one awaits the other, at most so many */

bool hold_acts(struct ctt_judge *j, const struct object *o, uint64_t by, uint64_t tid)
{
	bool found = hold_find(o, by, tid);

	for (int i = 0; !found && by && i < FRAMES; i++)
		found = (by = awaiter_of(j, by)) && hold_find(o, by, tid);
	return found;
}

void hold_come_about(struct object *o)
{
	free(o->left);
	o->left = NULL;
}

void object_acquire(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	struct hold *h = hold_find(o, ev->by, ev->tid);
	const struct ctt_fact *end;

	o->child = 0;
	if (h && ev->acquire.since_before)
		return;
	if (h) {
		o->again = h->deep = true;
		h->times++;
		return;
	}
	o->overlaps |= object_held(o);
	if (!o->shares && o->kind != CTT_ON_COND)	/* so somebody gave it back */
		hold_come_about(o);
	h = need(calloc(1, sizeof(*h)));
	*h = (struct hold){ .next = o->holds, .prev = &o->holds, .object = o, .by = ev->by,
		.tid = ev->tid, .times = 1,
		.seen = ev->acquire.since_before,
		.acquired = fact_of(ev, ev->acquire.since_before ? "seen to have it" : "acquired") };
	if (h->next)
		h->next->prev = &h->next;
	o->holds = h;
	o->crowded |= ++o->held > 2;
	enter_crowd(o, h);
	give(h, ev->by ? ctt_model_coro(j->model, ev->by) : NULL);
	if (ev->by && !h->prev_held && (end = judge_ended(j, ev->by))) {
		h->ended = *end;
		h->acquired.what = "coroutine was handed it though it had ended";
		leave_locked(h);
	}
}

void object_release(struct object *o, const struct ctt_event *ev)
{
	struct hold *h = hold_find(o, ev->by, ev->tid);

	o->released = fact_of(ev, "released");
	o->wakes = o->unnamed = 0;
	if (!h && o->left && ev->by && o->left->by == ev->by) {	/* for one that has ended */
		free(o->left);
		o->left = NULL;
		return;
	}
	if (!h) {
		o->passed_on |= object_held(o);
		if (o->holds)
			drop_hold(o->holds);
		else
			drop_holds(o);
		return;
	}
	o->returns |= !h->inherited;
	o->unmatched--;
	if (--h->times)
		return;
	o->reenters |= h->deep;
	/* Another took it while this one had it, and has it; and three had it at a time, not two, as where
	 * a hand-over is told the wrong way round. */
	o->shares |= h != o->holds && o->crowded && !o->again;
	drop_hold(h);
	o->shares |= o->overlaps && !o->again && !object_held(o);
}

static uint64_t permits_held(const struct object *o)
{
	uint64_t n = 0;

	for (const struct hold *h = o->holds; h; h = h->next)
		n += h->times;
	return n;
}

void permits_level(struct object *o, const struct ctt_event *ev)
{
	uint64_t value = ev->level.value;

	if (o->kind != CTT_ON_SEM)
		return;
	if (!o->levels) {
		o->permits = o->fresh ? value + permits_held(o) : 0;
		o->unmatched = 0;
		return;
	}
	if (value <= o->level)
		return;
	o->unmatched += (int64_t)(value - o->level);
	o->refilled |= !hold_find(o, ev->by, ev->tid) &&
		!(o->released.line && o->released.by == ev->by &&
			(ev->by || o->released.tid == ev->tid));
}

bool permits_all_held(const struct object *o)
{
	return o->permits && !o->level && !o->unmatched && !o->refilled && !o->left &&
		permits_held(o) == o->permits;
}

void object_reset(struct object *o)
{
	drop_holds(o);
	free(o->traffic);
	o->traffic = NULL;
	o->crowded = false;
	o->reenters = false;
	o->overlaps = o->shares = o->returns = o->passed_on = o->again = o->level_falls =
		o->level_falls_far = false;
	o->level_known.line = o->levels = o->let_wait = o->patient = o->most = o->least_woken = 0;
	o->refilled = o->gated = o->woken_at_0 = false;
	o->gone.line = 0;
}
