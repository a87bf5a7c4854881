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

/* A coroutine, or a thread; NULL: that coroutine does not live. */
static struct holder *holder_of(struct ctt_judge *j, uint64_t by, uint64_t tid)
{
	struct ctt_coro *c = by ? ctt_model_coro(j->model, by) : NULL;

	if (by)
		return c ? &evidence_of(c)->has : NULL;
	return tid ? &((struct thread *)keyed_get(&j->threads, tid))->has : NULL;
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
	deeds_leave(h);
	*h->prev = h->next;
	if (h->next)
		h->next->prev = h->prev;
	h->object->held--;
	h->object->anybodys -= h->anybodys;
	h->object->taken -= h->times;
	leave_crowd(h->object, h);
}

static void drop_hold(struct hold *h)
{
	unlink_hold(h);
	free(h);
}

static void drop_left(struct object *o)
{
	free(o->left);
	o->left = NULL;
	o->left_times = 0;
}

void drop_holds(struct object *o)
{
	while (o->holds)
		drop_hold(o->holds);
	drop_left(o);
}

void holds_unseen(struct evidence *e)
{
	for (struct hold *h = e->has.held, *next; h && h->deeds->seen; h = next) {
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

bool hold_torn(struct ctt_judge *j, const struct hold *h)
{
	const struct ctt_coro *c = h->by ? ctt_model_coro(j->model, h->by) : NULL;
	const struct evidence *e = c ? c->evidence : NULL;
	const struct lost_last *t = h->by ? NULL : keyed_find(&j->losses, h->tid);

	return h->torn || (t && t->to >= h->acquired.ts) ||
		(e && (e->torn > h->acquired.ts || e->lost_to > h->acquired.ts));
}

/* A finding shows the last of those who left it locked. */
static void leave_locked(struct hold *h)
{
	unlink_hold(h);
	h->object->left_times += h->times;
	free(h->object->left);
	h->object->left = h;
}

void hold_pass(
	struct ctt_judge *j, struct hold *h, struct ctt_coro *heir, struct ctt_fact end)
{
	h->ended = end;
	if (!heir || hold_find(h->object, heir->id, 0)) {
		leave_locked(h);
		return;
	}
	deeds_leave(h);
	if (h->object->crowd)
		hash_remove(h->object->crowd, holder(h->by, h->tid), h);
	h->by = heir->id;
	if (h->object->crowd)
		hash_add(h->object->crowd, holder(h->by, h->tid), h);
	h->inherited = true;
	deeds_take(j, &evidence_of(heir)->has, h);
}

/* What it has may have gone with what it created, or to whom it woke. */
void holds_thread_ends(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct thread *t = keyed_find(&j->threads, ev->tid);
	struct hold *h = t && crew_is_plain(t) ? t->has.held : NULL;

	for (struct hold *next; h; h = next) {
		next = h->next_held;
		h->finished = true;
		h->object->orphans = true;	/* or so */
		h->created.ts = h->acquired.ts;
		hold_pass(j, h, NULL, fact_of(ev, "thread ended"));
	}
}

static bool is_result_of(const struct object *o, uint64_t id)
{
	return o && o->kind == CTT_ON_CORO && o->key == id;
}

static bool awaits(const struct evidence *e, uint64_t id)
{
	bool waits = e && is_result_of(e->on, id);

	for (uint32_t i = 0; e && e->legs && i < e->legs->count; i++)
		waits |= is_result_of(e->legs->leg[i].on, id);
	return waits;
}

uint64_t awaiter_of(struct ctt_judge *j, uint64_t id)
{
	const struct ctt_coro *c = id ? ctt_model_coro(j->model, id) : NULL;
	const struct evidence *e = c ? c->evidence : NULL;
	const struct ctt_coro *a = e && e->awaiter ? ctt_model_coro(j->model, e->awaiter) : NULL;

	return a && a->state == CTT_CORO_SUSPENDED && awaits(a->evidence, id) ? a->id : 0;
}

bool awaiter_moves(struct ctt_judge *j, const struct ctt_coro *c)
{
	for (int i = 0; i < FRAMES; i++) {
		const struct evidence *e = c->evidence;
		uint64_t by = e ? e->awaiter : 0;
		const struct ctt_coro *a = by ? ctt_model_coro(j->model, by) : NULL;

		if (!a || a->state == CTT_CORO_RUNNING)
			return a;
		if (!awaits(a->evidence, c->id))
			return false;
		if (a->state == CTT_CORO_RUNNABLE)
			return true;
		c = a;
	}
	return false;
}

bool hold_acts(struct ctt_judge *j, const struct object *o, uint64_t by, uint64_t tid)
{
	bool found = hold_find(o, by, tid);

	for (int i = 0; !found && i < FRAMES && (by = awaiter_of(j, by)); i++)
		found = hold_find(o, by, tid);
	return found;
}

void hold_come_about(struct object *o)
{
	drop_left(o);
}

/* Does it wait for one other thing alone? */
static bool is_elsewhere(const struct ctt_judge *j, const struct object *o, uint64_t id)
{
	const struct ctt_coro *c = id ? ctt_model_coro(j->model, id) : NULL;
	const struct evidence *e = c ? c->evidence : NULL;

	return e && c->state != CTT_CORO_RUNNING && e->suspended && e->on && e->on != o &&
		!e->legs && c->on.known;
}

uint64_t taker_of(const struct ctt_judge *j, const struct ctt_event *ev)
{
	const struct ctt_worker *w = ev->by ? NULL : ctt_model_worker(j->model, ev->tid);

	return w ? w->running : ev->by;
}

void object_acquire(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	struct hold *h = hold_find(o, ev->by, ev->tid);
	struct holder *by;
	const struct ctt_fact *end;

	if (h)		/* whoever waits for it says who has it */
		o->doubted |= ev->acquire.doubt.len > 0;
	if (h && ev->acquire.since_before)
		return;
	if (h) {
		o->again = h->deep = true;
		h->times++;
		o->taken++;
		if (h->anybodys)	/* another one */
			h->acquired = fact_of(ev, "acquired");
		return;
	}
	o->overlaps |= object_held(o);
	if (!o->shares && o->kind != CTT_ON_COND &&	/* so somebody gave it back */
		!(o->permits && o->taken + o->left_times < o->permits))
		hold_come_about(o);
	if (!object_held(o)) {		/* else another permit may have gone to a child */
		o->child = o->child_nth = 0;
		o->children = o->orphans = false;
		o->child_from = j->deeds;
	}
	h = need(calloc(1, sizeof(*h)));
	*h = (struct hold){ .next = o->holds, .prev = &o->holds, .object = o, .by = ev->by,
		.tid = ev->tid, .times = 1,
		.seen = ev->acquire.since_before,
		.acquired = fact_of(ev, ev->acquire.since_before ? "seen to have it" : "acquired") };
	if (h->next)
		h->next->prev = &h->next;
	o->holds = h;
	o->doubted |= ev->acquire.doubt.len > 0;
	h->nth = ++o->acquires;
	o->taken++;
	o->crowded |= ++o->held > 2;
	enter_crowd(o, h);
	by = holder_of(j, ev->by, ev->tid);
	if (by)
		deeds_take(j, by, h);
	h->handed = is_elsewhere(j, o, ev->by);
	h->anybodys = !ev->by && taker_of(j, ev);
	o->anybodys += h->anybodys;
	if (ev->by && !h->prev_held && (end = judge_ended(j, ev->by))) {
		h->ended = *end;
		h->acquired.what = "coroutine was handed it though it had ended";
		leave_locked(h);
	}
}

/* Who destroys a coroutine runs the ends of its guards: that the guard went to another is not said
 * by that. The frame goes before or after it is reported to; until then it counts as passed on. */
static bool passed_by_destroyer(
	struct ctt_judge *j, const struct object *o, const struct ctt_event *ev)
{
	struct thread *t = keyed_get(&j->threads, ev->tid);

	if (o->left && !o->holds)
		return o->left->ended.tid == ev->tid && !o->left->finished;
	if (o->holds && o->holds->by && !o->passed_on)
		t->passed[t->passes++ % PASSED] = (struct passed){ o->holds->by, ev->ts,
			{ o->kind, o->key, o->pid } };
	return false;
}

void object_release(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	struct hold *h = hold_find(o, ev->by, ev->tid);

	o->released = fact_of(ev, "released");
	o->wakes = o->unnamed = o->served = 0;
	j->last_released = (struct object_name){ o->kind, o->key, o->pid };
	if (!h && o->left && ev->by && o->left->by == ev->by) {	/* for one that has ended */
		drop_left(o);
		return;
	}
	if (!h) {
		o->added |= !hold_is_anybodys(o);
		if (!passed_by_destroyer(j, o, ev))
			o->passed_on |= object_held(o);
		if (o->holds && o->holds->anybodys && --o->holds->times)
			o->taken--;
		else if (o->holds)
			drop_hold(o->holds);
		else
			drop_holds(o);
		return;
	}
	o->returns |= !h->inherited;
	o->unmatched--;
	o->taken--;
	if (--h->times)
		return;
	o->reenters |= h->deep;
	/* Another took it while this one had it; and three had it at a time, not two, as where a hand-over
	 * is told the wrong way round. */
	o->shares |= h->nth < o->acquires && o->crowded && !o->again;
	drop_hold(h);
	o->shares |= o->overlaps && !o->again && !object_held(o);
}

void permits_level(struct object *o, const struct ctt_event *ev)
{
	uint64_t value = ev->level.value;

	if (o->kind != CTT_ON_SEM)
		return;
	if (!o->levels) {
		o->permits = o->fresh ? value + o->taken + o->left_times : 0;
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
	return o->permits && !o->level && o->unmatched <= 0 && !o->refilled && !o->passed_on &&
		o->taken + o->left_times == o->permits;
}

/* Who was let go last where it waits, and it stayed behind. */
static uint64_t last_moved(const struct object *o)
{
	uint64_t taken = o && o->holds ? o->holds->acquired.ts : 0;

	return !o ? 0 : taken > o->released.ts ? taken : o->released.ts;
}

bool waits_long(const struct ctt_judge *j, const struct evidence *e)
{
	enum { TIMES = 3 };
	uint64_t last = lived_until(j, e->c), moved = last_moved(e->on);
	uint64_t since = waits_since(e);

	for (uint32_t i = 0; e->legs && i < e->legs->count; i++)
		if (last_moved(e->legs->leg[i].on) > moved)
			moved = last_moved(e->legs->leg[i].on);
	since = moved > since ? moved : since;
	return last >= since + CTT_JUDGE_GRACE_NS &&
		(!e->point || (last - since) / TIMES > e->point->longest_known_ns);
}

void drop_traffic(struct object *o)
{
	if (o->users)
		hash_free(&o->users->more);
	free(o->users);
	free(o->traffic);
	o->users = NULL;
	o->traffic = NULL;
}

void object_reset(struct object *o)
{
	drop_holds(o);
	drop_traffic(o);
	o->relayed = o->crowded = false;
	o->reenters = false;
	o->overlaps = o->shares = o->returns = o->passed_on = o->again = o->level_falls =
		o->level_falls_far = false;
	o->level_known.line = o->levels = o->most = o->least_woken = 0;
	o->patience = (struct patience){ 0 };
	o->added = o->refilled = o->gated = o->woken_at_0 = false;
	o->gone.line = o->there.line = 0;
}
