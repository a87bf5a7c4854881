/* holds.c - who has which lock or permit, and to whom it went. */
#include <stdlib.h>

#include "judge/judge.h"

bool object_held(const struct object *o)
{
	return !is_channel(o) && (o->holds || o->left);
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

static void unlink_hold(struct hold *h)
{
	take_away(h);
	*h->prev = h->next;
	if (h->next)
		h->next->prev = h->prev;
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

/* Many may hold one lock and one many locks: both lists are searched in step, so the shorter one
 * says how long. */
struct hold *hold_find(struct ctt_judge *j, const struct object *o, uint64_t by, uint64_t tid)
{
	struct ctt_coro *c = by ? ctt_model_coro(j->model, by) : NULL;
	struct hold *h = o->holds,
		    *mine = c && c->evidence ? ((struct evidence *)c->evidence)->held : NULL;

	for (; h && (!c || mine); h = h->next, mine = mine ? mine->next_held : NULL) {
		if (h->by == by && (by || h->tid == tid))
			return h;
		if (mine && mine->object == o)
			return mine;
	}
	return NULL;
}

/* A finding shows the last of those who left it locked; so they do not add up. */
static void leave_locked(struct hold *h)
{
	unlink_hold(h);
	free(h->object->left);
	h->object->left = h;
}

void hold_pass(struct ctt_judge *j, struct hold *h, struct ctt_coro *heir, struct ctt_fact end)
{
	h->ended = end;
	if (!heir || hold_find(j, h->object, heir->id, 0)) {
		leave_locked(h);
		return;
	}
	take_away(h);
	h->by = heir->id;
	h->inherited = true;
	give(h, heir);
}

void object_acquire(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	struct hold *h = hold_find(j, o, ev->by, ev->tid);

	o->child = 0;
	o->overlaps |= object_held(o);
	if (h) {
		o->again = true;
		h->times++;
		return;
	}
	if (!o->shares) {		/* so somebody gave it back */
		free(o->left);
		o->left = NULL;
	}
	h = need(calloc(1, sizeof(*h)));
	*h = (struct hold){ .next = o->holds, .prev = &o->holds, .object = o, .by = ev->by, .tid = ev->tid, .times = 1,
		.acquired = fact_of(ev, "acquired") };
	if (h->next)
		h->next->prev = &h->next;
	o->holds = h;
	give(h, ev->by ? ctt_model_coro(j->model, ev->by) : NULL);
}

void object_release(struct ctt_judge *j, struct object *o, const struct ctt_event *ev)
{
	struct hold *h = hold_find(j, o, ev->by, ev->tid);

	o->released = fact_of(ev, "released");
	o->wakes = 0;
	if (!h) {
		o->passed_on |= object_held(o);
		if (o->holds)
			drop_hold(o->holds);
		else
			drop_holds(o);
		return;
	}
	o->returns |= !h->inherited;
	if (--h->times)
		return;
	drop_hold(h);
	o->shares |= o->overlaps && !o->again && !object_held(o);
}

void object_reset(struct object *o)
{
	drop_holds(o);
	free(o->traffic);
	o->traffic = NULL;
	o->overlaps = o->shares = o->returns = o->passed_on = o->again = o->level_falls =
		o->level_falls_far = false;
	o->level_told.line = o->levels = 0;
}
