/* wasted.c - wakes that went to one who did not take what they were for, while others wait for it.
 *
 * The last wake for a thing says who was to take it. That one has ended, waits for the very same
 * lock again, or went back to wait for what it waited for before: then what the wake announced, if
 * the thing says that it is there still, is nobody's, and whoever waits for it waits for ever. */
#include <string.h>

#include "judge/judge.h"

void object_woken(struct ctt_judge *j, struct object *o, const struct ctt_coro *c,
	const struct ctt_event *ev, bool named)
{
	const struct evidence *e = c ? c->evidence : NULL;

	if (!o || ev->ts < o->woke_ts)
		return;
	patience_woken(o, e, ev);
	o->woke_ts = ev->ts;
	o->woke_id = ev->probe_id;
	o->waker_wakes = ev->tid == o->waker_tid ? o->waker_wakes + 1 : 1;
	o->waker_tid = ev->tid;
	o->woke = fact_of(ev, "woken");
	if (!named)
		o->woke.line = 0;
	o->wakes += named;
	o->unnamed += !named;
	o->woken_for |= named;
	if (o->kind == CTT_ON_COND && o->level && e && e->on == o && e->point &&
		object_wakes(j, o) > o->level)
		e->point->gate = true;
	if (named && o->level_known.line)
		object_woken_at(o, o->level);
	o->woke_kind = c && c->state != CTT_CORO_RUNNING && e && e->on != o && c->on.known ?
		c->on.kind :
		CTT_ON_NONE;
	o->woke_key = o->woke_kind ? ctt_on_key(&c->on) : 0;
	o->woke_site = o->woke_kind ? c->site : 0;
	o->woke_knew = o->woke_kind && object_known_to(o, e);
}

/* When the last that was woken for it ended, before the wake or after; NULL: it may still take it. */
static const struct ctt_fact *end_of_taker(const struct ctt_judge *j, const struct object *o)
{
	return o->woke_id ? judge_ended(j, o->woke_id) : NULL;
}

/* Of a lock that is free: nobody who wants it would look and leave it. */
static bool waits_again(const struct ctt_judge *j, const struct object *o)
{
	const struct ctt_coro *c = o->woke_id ? ctt_model_coro(j->model, o->woke_id) : NULL;
	const struct evidence *e = c ? c->evidence : NULL;

	return is_lockable(o) && e && e->on == o && c->state == CTT_CORO_SUSPENDED &&
		c->resumed >= o->woke_ts;
}

/* It waited for something else when it was woken for this, as an entry in this one's queue that it
 * had given up; and has run since, and waits for that again. It took nothing, where what is taken is
 * reported, or where it had said of this one, too, when it waited for that. */
static bool went_back(const struct ctt_judge *j, const struct object *o)
{
	const struct ctt_coro *c = o->woke_id ? ctt_model_coro(j->model, o->woke_id) : NULL;

	return c && o->woke_kind != CTT_ON_NONE && (o->level_falls || o->woke_knew) &&
		c->state == CTT_CORO_SUSPENDED && c->resumed >= o->woke_ts && c->on.known &&
		c->on.kind == o->woke_kind && ctt_on_key(&c->on) == o->woke_key;
}

bool wake_in_vain(const struct ctt_judge *j, const struct object *o)
{
	return o->woke_id && (end_of_taker(j, o) || waits_again(j, o) || went_back(j, o));
}

void accuse_wasted(const struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct object *o = e->on;
	const struct ctt_fact *end = end_of_taker(j, o);

	if (!o->woke.line)
		/* a wake for nothing in particular, as a cancellation's: as if there had been
		 * none */
		return;
	f->verdict = CTT_V_WASTED_WAKE;
	f->because = end && end->ts < o->woke_ts ?
		"what they wait for is there: who was woken for it had ended before" :
		end ?
		"what they wait for is there: who was woken for it has ended without taking it" :
		went_back(j, o) ?
		"what they wait for is there: who was woken for it waited for something else, and does so again" :
		o->woke_id == e->c->id ?
		"the lock was given to an earlier wait of theirs that nobody polls any more; they wait for it once more" :
		"the lock was given to one that waits for it once more: its earlier wait has it, and nobody polls that";
	f->cause = o->woke;
	add_fact(f, o->woke);
	if (end)
		add_fact(f, *end);
	f->oldest = o->woke.ts < f->oldest ? o->woke.ts : f->oldest;
}

/* It was handed the lock when it waited for something else, as whose wait for the lock had come to its
 * time limit; woken so, it waits there again, and does not know that it has it. One that never waited
 * for it may have asked by a message, as an actor, and work under the lock while it waits for the next. */
static bool handed_in_vain(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct object *o = e->on;
	const struct hold *h = o ? o->holds : NULL;
	const struct ctt_coro *c = h ? ctt_model_coro(j->model, h->by) : NULL;

	if (!h || h->next || !is_lockable(o) || !h->handed || h->by != o->woke_id ||
		o->woke_kind == CTT_ON_NONE || !o->woke.line || !o->woke_site ||
		c->state != CTT_CORO_SUSPENDED || c->site != o->woke_site ||
		!settled(j, c, c->last_ts) || c->on.kind != o->woke_kind)
		return false;
	finding_set(f, CTT_V_WASTED_WAKE, o->woke_knew ? CTT_PROVEN : CTT_HINT, o->woke,
		"the lock was handed to one that waited for something else, and does so again");
	add_fact(f, h->acquired);
	add_fact(f, o->woke);
	add_fact(f, suspend_fact(e->c));
	add_fact(f, suspend_fact(c));
	f->oldest = 1;
	return true;
}

/* Of what nothing is known but its wakes: the last one went to somebody that was cancelled. */
bool rule_wasted(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct object *o = e->on;
	const struct ctt_fact *end = o ? end_of_taker(j, o) : NULL;

	if (handed_in_vain(j, e, f))
		return true;
	if (!end || end->ts < o->woke_ts || !o->woke.line || o->level_known.line ||
		o->kind == CTT_ON_MUTEX ||
		o->kind == CTT_ON_CORO || o->kind == CTT_ON_JOIN || o->runnable ||
		strcmp(end->what, "coroutine cancelled") || o->woke_ts < e->suspended)
		return false;
	f->verdict = CTT_V_WASTED_WAKE;
	f->certainty = CTT_HINT;
	f->cause = o->woke;
	f->because =
		"the last wake for it went to one that was cancelled; nothing shows whether anything was left";
	add_fact(f, suspend_fact(e->c));
	add_fact(f, o->woke);
	add_fact(f, *end);
	return true;
}
