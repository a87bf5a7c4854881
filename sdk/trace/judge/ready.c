/* ready.c - ready-resource: what is waited for is there, by what is reported of it, and whoever was
 * woken for it left it there. Contracts in verdict.h. */
#include "judge/judge.h"

/* Only of the last that was woken for it is it known what became of it. */
static bool others_woken(const struct ctt_judge *j, const struct object *o)
{
	return object_wakes(j, o) > 1;
}

/* Is what is there meant for somebody else, who has yet to run; or may it be? A combinator that was woken is not woken
 * once more for another of its branches. */
static bool another_is_woken(struct ctt_judge *j, const struct evidence *e)
{
	return e->on->runnable || process_of(j, e->c->tid)->now.vague;
}

/* Did who gave the lock back wake it as well, as it waited for that before? Then that wait was served, and
 * perhaps nobody polls it. */
static bool came_back(const struct evidence *e)
{
	const struct ctt_fact *released = &e->on->released;

	return e->c->wake_by && e->c->wake_by == released->by &&
		released->ts <= e->c->resumed && object_known_to(e->on, e);
}

/* Lives one who may have been handed it, by a wait that it left for something else? */
static bool may_be_served(struct ctt_judge *j, const struct object *o)
{
	return o->served && may_have(j, o, o->served);
}

/* A lock whose holder at the suspend released it, which nobody took since. */
static bool free_lock(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	struct object *o = e->on;

	if (!is_lockable(o) || object_held(o) || !o->released.line || another_is_woken(j, e))
		return false;
	if (e->came.lock_was_held ? o->released.ts < e->suspended : o->passed_on || !o->returns)
		return false;	/* free when it came: where releases are reported by who took it */
	if ((o->woke_ts >= o->released.ts && !wake_in_vain(j, o)) ||
		(o->level_known.line && !o->level && o->level_known.ts > o->released.ts))
		return false;
	finding_set(f, CTT_V_READY_RESOURCE,
		hold_doubted(o) || others_woken(j, o) || may_be_served(j, o) ? CTT_SUSPECTED :
									       CTT_PROVEN,
		o->released,
		may_be_served(j, o) ?
			"nobody took the lock since: who gave it back woke one that had waited for it and waits for something else now; its earlier wait may have it" :
		came_back(e) ?
			"the lock they wait for is free: who gave it back woke them, they ran and wait for it anew; an earlier wait of theirs may have it" :
			"the lock they wait for is free and nobody woke them");
	add_fact(f, suspend_fact(e->c));
	add_fact(f, o->released);
	f->oldest = 1;		/* whatever was lost may be that another has it, too */
	if (o->woke_ts >= o->released.ts)
		accuse_wasted(j, e, f);
	return true;
}

/* A process that is being taken apart lives on for a while, as a JVM does, and none of its threads does anything. */
static bool may_be_dying(struct ctt_judge *j, const struct ctt_coro *c, uint64_t deadline)
{
	enum { LONG_NS = 1000000000 };

	return crew_last_ts(process_of(j, c->tid)) <= deadline &&
		end_for(j, c) < deadline + LONG_NS;
}

/* A deadline in the past: it may have been put off, so this is a hint, but where that is reported and
 * it had not passed when the wait began. Not while workers are too busy to look; nor from before the
 * coroutine was, which is of another clock. */
static bool late_timer(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	uint64_t deadline = e->c->on.value, from;

	if (e->moved.line && e->moved.ts > deadline)
		deadline = e->moved.ts;		/* to a time in the past */
	from = deadline < e->suspended ? e->suspended : deadline;
	if (e->c->on.kind != CTT_ON_TIMER || !e->c->on.number || deadline < e->c->first_ts ||
		!settled(j, e->c, from) || may_be_queued(j, e->c, from) ||
		(!j->deadlines_known && may_be_dying(j, e->c, from)))
		return false;
	finding_set(f, CTT_V_READY_RESOURCE,
		j->deadlines_known && from == deadline ? CTT_SUSPECTED : CTT_HINT,
		e->moved.line ? e->moved : (struct ctt_fact){ 0, deadline, 0, 0, 0, "deadline" },
		e->moved.line ?
			"their deadline was moved, has passed since, and nobody woke them" :
			"their deadline has passed and nobody woke them");
	add_fact(f, suspend_fact(e->c));
	add_fact(f, e->moved);
	return true;
}

/* Of room: whoever wants some can have it. */
static bool all_free(const struct object *o)
{
	return o->kind == CTT_ON_ROOM && o->level == o->most;
}

/* Does the level report what others take, too? A semaphore's waiter may want several permits: only
 * one that found none, where nobody was ever seen to take more than one. */
static bool level_is_known(const struct evidence *e)
{
	const struct object *o = e->on;

	if (o->kind == CTT_ON_SEM || (o->level_falls_far && !all_free(o)))
		return (e->came.level_was_0 ||
			       (!e->came.level_was_known && o->levels == 1 && o->level == 1)) &&
			!o->level_falls_far;
	return e->came.level_was_0 ||
		(!e->came.level_was_known &&
			(o->level_falls || o->levels == 1 || o->levels == o->level));
}

/* There were permits when it came, which did not do for it, or several are taken at a time: it may
 * want more than there are, or stand behind one that does. */
static bool may_want_more(const struct evidence *e)
{
	return e->on->kind == CTT_ON_SEM && (e->on->level_falls_far || e->came.level);
}

/* So of a channel's items and room, where these are bytes, or taken in batches. */
static bool may_be_too_little(const struct object *o)
{
	return is_channel(o) && o->level_falls_far && o->level < o->most;
}

/* Several became available while it waited, and fewer were woken for them, who took none yet. */
static bool more_than_woken(const struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;

	return o->kind == CTT_ON_SEM && o->level_falls && !o->level_falls_far &&
		e->came.level_was_0 && o->level_known.ts >= e->suspended &&
		object_wakes(j, o) < o->level;
}

/* Some were let go for what came about there, and who was let go last has gone on. */
static bool have_passed(const struct ctt_judge *j, const struct object *o)
{
	const struct ctt_coro *let_go = o->woke_id ? ctt_model_coro(j->model, o->woke_id) : NULL;

	return o->kind == CTT_ON_COND && o->woke_ts >= o->level_known.ts &&
		(!let_go ||
			(let_go->state == CTT_CORO_SUSPENDED && let_go->resumed >= o->woke_ts &&
				let_go->last_ts > o->woke_ts));
}

/* An event, a latch or a barrier that opened while it waited: more were let go than would share as many
 * items, and nobody came to wait since, as many would where what was there had been taken and that is
 * not reported. */
static bool was_opened(const struct ctt_judge *j, const struct object *o)
{
	return have_passed(j, o) && object_wakes(j, o) > o->level;
}

static bool is_open(const struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;

	return was_opened(j, o) && o->level_known.ts >= e->suspended &&
		o->came < o->level_known.ts;
}

/* It was on its way to wait where others had waited while the thing was shut, or had shut it itself, and
 * came when those had been let go: it waits for what is over. */
static bool came_too_late(const struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;

	bool shut = e->c->id && o->shut_by == e->c->id;

	return e->point && (e->point->receives || (shut && o->woke_id == e->c->id)) &&
		o->woke_ts < e->suspended && o->level_known.by != e->c->id &&
		((was_opened(j, o) && o->level_known.ts >= e->c->resumed) ||
			(have_passed(j, o) && shut && o->level_known.ts < e->suspended));
}

/* It opened, once and for good as far as is known, while this one was on its way to wait for that; or
 * those who wait where this one does take what is there. Where two kinds wait at one condition, as for
 * items and for room, its level says nothing of either, and is not to be reported. */
static bool came_about(const struct evidence *e)
{
	const struct object *o = e->on;

	return o->kind == CTT_ON_COND && e->c->resumed && o->level_known.by != e->c->id &&
		((e->point && e->point->items) ||
			(o->most == 1 && !o->level_falls && (o->emptied || o->levels == 1) &&
				o->level_known.ts >= e->c->resumed));
}

/* At a condition where all were let go at once before, as of a barrier's last phase, and nobody took
 * anything: what is there is not one item, for one of them. */
static bool is_gate(const struct evidence *e)
{
	return e->on->kind == CTT_ON_COND && e->point && e->point->gate && !e->point->items;
}

/* Who was woken for what is there has gone on since without taking it, as what is taken is reported or
 * nothing is; and waits for something else: not a lock, as who has to have that first; nor for what it
 * does by others, its time, or what comes from outside. */
static bool left_behind(struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;
	const struct ctt_coro *c = o->woke_id ? ctt_model_coro(j->model, o->woke_id) : NULL;
	const struct object *other = c && c->evidence ? ((struct evidence *)c->evidence)->on : NULL;

	if (!other || other == o || c->state != CTT_CORO_SUSPENDED || c->resumed < o->woke_ts ||
		!settled(j, c, c->last_ts) || o->level_known.ts < e->suspended ||
		!level_is_known(e) || !(o->level_falls || is_gate(e)))
		return false;
	return is_channel(other) || other->kind == CTT_ON_COND;
}

/* Some of its room is free, where nobody was ever woken with so little: senders may go on at a low mark
 * only. With all of it free that is reached, whatever it is; and where none was said to be there again
 * and again, what is told is what they could use. */
static bool may_be_paused(const struct object *o)
{
	return o->kind == CTT_ON_ROOM && o->level < o->most && !o->gated &&
		!(o->least_woken && o->least_woken - 1 <= o->level);
}

/* Has the one that made the room ended? Then it makes no more. */
static bool taker_of_room_ended(const struct ctt_judge *j, const struct object *o)
{
	return o->level_known.by && !ctt_model_coro(j->model, o->level_known.by);
}

static bool has_left(const struct object *o, const struct object *other)
{
	return (other->kind == o->woke_kind && other->key == o->woke_key) ||
		(o->kind == CTT_ON_CHAN && other->kind != CTT_ON_TIMER && other->kind != CTT_ON_FD);
}

/* Who was woken for it has gone on, and on again from another line, or has gone back, or left an item of a
 * channel for what only others can bring about; and waits for something else: it hardly means to take it. */
static bool passed_by(struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;
	const struct ctt_coro *c = o->woke_id ? ctt_model_coro(j->model, o->woke_id) : NULL;
	const struct evidence *w = c ? c->evidence : NULL;

	return w && c->state == CTT_CORO_SUSPENDED && !waits_at(w, o) &&
		c->resumed >= o->woke_ts &&
		((w->left[1].point && w->left[1].ts >= o->woke_ts) ||
			(w->on && settled(j, c, c->last_ts) && has_left(o, w->on))) &&
		o->level_known.ts >= e->suspended && level_is_known(e);
}

/* A level of a descriptor says that it can be read; who waits for it may want to write, but where all who
 * left that line have read: not where another found it empty, or was woken for it. */
static bool may_write(const struct evidence *e)
{
	const struct object *o = e->on;

	return o->kind == CTT_ON_FD &&
		(!e->point || !e->point->reads || e->point->writes ||
			(o->shut_by && o->shut_by != e->c->id) ||
			(o->woke_id && o->woke_id != e->c->id && o->shut_by != e->c->id));
}

/* Of one that came to a channel when something was in it: is it no sender, who waits for room? */
static bool only_receives(struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;

	return object_room_known(j, o) || object_receives(j, o, e->c->id) ||
		(e->point && e->point->receives && !e->point->gives &&
			channel_takes(o, e->c->id));
}

/* How sure a level above zero makes it; CTT_UNKNOWN: not at all. Reported since it waits, it
 * accuses, whether it came to take or to give, if what others take is reported as well (or each
 * reported rise added to the last) and nobody was woken for it. Reported while it was still on its
 * way, it may be a sender before a full channel. */
static enum ctt_certainty level_accuses(struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;
	const struct ctt_coro *taker = o->woke_id ? ctt_model_coro(j->model, o->woke_id) : NULL;

	if (!o->level_known.line || !o->level || object_held(o) || another_is_woken(j, e))
		return CTT_UNKNOWN;
	if (o->level <= o->patience.patient)
		return CTT_HINT;	/* they were let wait so before, and went on */
	if (may_be_paused(o))
		return taker_of_room_ended(j, o) ? CTT_SUSPECTED : CTT_HINT;
	if (is_open(j, e) || came_too_late(j, e))
		return CTT_PROVEN;
	if (o->woke_ts >= o->level_known.ts && !wake_in_vain(j, o) && left_behind(j, e))
		return is_gate(e) ? CTT_PROVEN : CTT_SUSPECTED;
	if (o->woke_ts >= o->level_known.ts && !wake_in_vain(j, o))
		return more_than_woken(j, e) ? CTT_SUSPECTED :
			passed_by(j, e)      ? CTT_HINT :
					       CTT_UNKNOWN;
	if (o->kind == CTT_ON_CHAN && e->came.level_was_known && !e->came.level_was_0)
		return o->level_known.by == e->c->id ? CTT_UNKNOWN :
			only_receives(j, e)          ? CTT_PROVEN :
			(e->point && e->point->receives) || channel_takes(o, e->c->id) ||
				(o->level_known.ts >= e->c->resumed &&
					o->level_known.ts < e->suspended) ?
			CTT_HINT :
			CTT_UNKNOWN;
	if (may_want_more(e))
		return o->level > e->came.level ? CTT_HINT : CTT_UNKNOWN;
	if (o->level_known.ts >= e->suspended)
		/* one awake may take more */
		return level_is_known(e) && !others_woken(j, o) &&
				(!taker || taker->state == CTT_CORO_SUSPENDED) ?
			CTT_PROVEN :
			CTT_SUSPECTED;
	if (o->level_known.by == e->c->id && e->c->id)
		return CTT_UNKNOWN;
	if (may_be_full(e))
		return CTT_HINT;
	if (o->kind == CTT_ON_MUTEX || came_about(e))
		return CTT_PROVEN;		/* free when it came */
	return o->kind == CTT_ON_SEM && o->level_known.ts < e->c->resumed ? CTT_UNKNOWN :
									   CTT_SUSPECTED;
}

/* It was woken as something came, ran, and waits again while the thing says that it is there: as who
 * does not read an edge-triggered descriptor until it is empty. A hint, as that it was emptied may
 * not have been reported, or it waits to write. */
static bool left_there(const struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;
	const struct object *o = e->on;

	if (o->kind != CTT_ON_FD || !o->level || !o->emptied || o->level_known.by == c->id ||
		c->wake_kind != o->kind || c->wake_key != o->key || c->wake_ts > c->resumed ||
		o->level_known.ts > c->resumed)
		return false;
	finding_set(f, CTT_V_READY_RESOURCE, CTT_HINT, o->level_known,
		"they were woken for what they wait for, and wait again though it says that something is left");
	add_fact(f, o->level_known);
	add_fact(f, (struct ctt_fact){ c->resume_line, c->resumed, 0, 0, 0, "resumed" });
	add_fact(f, suspend_fact(c));
	return true;
}

/* Permits are there, and who stood before it in their queue has gone since without taking any: what there
 * is may be enough for the next, whom nobody looked at. A hint, as it may want more. */
static bool behind_gone(const struct evidence *e, struct ctt_finding *f)
{
	const struct object *o = e->on;

	if (!o->gone.line || !o->level_known.line || !o->level || o->gone_came >= e->suspended ||
		o->gone.ts <= e->suspended || o->woke_ts >= o->gone.ts || object_held(o))
		return false;
	finding_set(f, CTT_V_READY_RESOURCE, CTT_HINT, o->gone,
		"who waited before them is gone, permits are there, and nobody was woken");
	add_fact(f, o->level_known);
	add_fact(f, suspend_fact(e->c));
	add_fact(f, o->gone);
	return true;
}

/* It came when nothing was there; something has been since, whatever was taken and added, and nobody was
 * woken for it: for so long it has been overlooked. */
static bool was_there(const struct evidence *e)
{
	const struct object *o = e->on;

	return e->came.level_was_0 && o->there.line && o->there.line != o->level_known.line &&
		o->there.ts >= e->suspended && o->woke_ts < o->there.ts;
}

/* Though others come and go meanwhile; of permits it may want more than there ever were since. */
static enum ctt_certainty all_the_time(const struct object *o, enum ctt_certainty sure)
{
	return sure == CTT_PROVEN && (o->kind != CTT_ON_SEM || o->there_most == o->most) ?
		CTT_PROVEN :
		CTT_HINT;
}

static bool ready_one(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_fact *since;
	enum ctt_certainty sure;
	bool again;

	if (!e->on)
		return false;
	if (late_timer(j, e, f) || free_lock(j, e, f))
		return true;
	sure = level_accuses(j, e);
	if (sure == CTT_UNKNOWN)
		return left_there(e, f) || behind_gone(e, f);
	if (waits_for_less(e) || may_be_too_little(e->on) || may_write(e))
		sure = CTT_HINT;
	again = was_there(e) && !settled(j, e->c, e->on->level_known.ts);
	if (again)
		sure = all_the_time(e->on, sure);
	since = again ? &e->on->there : &e->on->level_known;
	if (e->on->woke_ts < since->ts && may_be_patient(j, e, since->ts))
		sure = CTT_HINT;
	finding_set(f, CTT_V_READY_RESOURCE, sure, *since,
		sure == CTT_PROVEN ?
			"what they wait for is there and nobody woke them" :
			"what they wait for seems to be there; how much they want, or whether others took it, is not reported");
	add_fact(f, suspend_fact(e->c));
	if (again)
		add_fact(f, e->on->there);
	add_fact(f, e->on->level_known);
	/* who came to a condition after that was not to be let go then */
	if (e->on->woke_ts >= e->on->level_known.ts && wake_in_vain(j, e->on) && !is_open(j, e) &&
		!(e->on->kind == CTT_ON_COND && e->on->woke_ts < e->suspended))
		accuse_wasted(j, e, f);
	return true;
}

bool rule_ready(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	/* of several, it takes which it likes first: what only seems to be left may have been */
	return ready_one(j, e, f) || legs_rule(j, e, f, ready_one, CTT_PROVEN) ||
		legs_rule(j, e, f, late_timer, CTT_HINT) || legs_all_rule(j, e, f, ready_one);
}
