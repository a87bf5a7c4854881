/* rules.c - verdicts on a coroutine that nobody has woken since it suspended.
 *
 * Each rule says when its pattern stands in the evidence, what is its cause, and CTT_PROVEN or
 * CTT_SUSPECTED; findings.c then asks whether the cause is old enough, distinguishable by the
 * clocks, and not undone by something lost. */
#include <string.h>

#include "judge/judge.h"

#define NO_WAKER "user:no waker"

void finding_set(struct ctt_finding *f, enum ctt_verdict v, enum ctt_certainty sure,
	struct ctt_fact cause, const char *because)
{
	f->verdict = v;
	f->certainty = sure;
	f->cause = cause;
	f->because = because;
}

static bool a_leg_is(const struct evidence *e, const char *what)
{
	for (uint32_t i = 0; i < e->legs->count; i++)
		if (!strcmp(e->legs->leg[i].done.what, what))
			return true;
	return false;
}

/* All of several things are gone. A timer that is off says nothing of what the others are. */
static bool accuse_legs(enum ctt_verdict v, const struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_fact *last = legs_done(e);
	bool off = last && !strcmp(last->what, LEG_OFF);

	if (!last ||
		(v == CTT_V_CLOSED_RESOURCE) != (off ? a_leg_is(e, "closed") : !strcmp(last->what, "closed")))
		return false;
	finding_set(f, v, CTT_PROVEN, *last,
		"all of what they wait for was closed or has ended, and nobody woke them");
	add_fact(f, suspend_fact(e->c));
	for (uint32_t i = 0; i < e->legs->count; i++)
		add_fact(f, e->legs->leg[i].done);
	return true;
}

bool rule_closed(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	bool unopened;

	if (accuse_legs(CTT_V_CLOSED_RESOURCE, e, f))
		return true;
	/* where all who were notified were others, it was none of them */
	if (!e->closed.line || (e->notified && !(e->on && e->on->claimed <= e->on->let_go)))
		return false;
	unopened = j->unopened >> e->c->on.kind & 1;
	if (e->closed.ts < e->suspended) {
		f->help =
			"look whether it is closed once the waiter is registered; where its number or address is used again, report that it was opened";
		finding_set(f, CTT_V_CLOSED_RESOURCE, unopened ? CTT_SUSPECTED : CTT_PROVEN,
			e->closed,
			unopened ?
				"what they wait on was closed before and not opened since; but not every opening is reported" :
				"what they wait on was closed before they came, and not opened since");
	} else {
		finding_set(f, CTT_V_CLOSED_RESOURCE, CTT_PROVEN, e->closed,
			"what they wait on was closed and nobody woke them");
	}
	add_fact(f, suspend_fact(e->c));
	add_fact(f, e->closed);
	return true;
}

bool rule_awaitee(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	(void)j;
	if (accuse_legs(CTT_V_DEAD_AWAITEE, e, f))
		return true;
	if (!e->awaitee.line)
		return false;
	/* of a snapshot: nothing that was found refers to it, so that nobody can */
	finding_set(f, CTT_V_DEAD_AWAITEE, e->c->no_refs ? CTT_SUSPECTED : CTT_PROVEN, e->awaitee,
		"the coroutine they wait for has ended and nobody woke them");
	f->cause.by = e->c->on.value;
	add_fact(f, suspend_fact(e->c));
	add_fact(f, e->awaitee);
	return true;
}

/* Whoever took it and is gone. Of permits, only where those who take them are those who give them
 * back; of one end of a channel, only where nobody else has it or acts at it. */
static const struct hold *left_locked(struct ctt_judge *j, const struct evidence *e)
{
	const struct object *o = e->on;

	if (has_ends(o) || o->kind == CTT_ON_USER)
		return o->holds || (has_ends(o) && o->passed_on) ||
				(is_channel(o) && channel_goes_on(j, e)) ?
			NULL :
			o->left;
	if (o->kind != CTT_ON_MUTEX && !(o->kind == CTT_ON_SEM && !o->passed_on))
		return NULL;
	if (o->kind == CTT_ON_SEM && o->left && o->holds)
		return NULL;	/* whoever has another permit may give that back */
	return o->left ? o->left : o->holds && o->holds->inherited ? o->holds : NULL;
}

bool may_have(struct ctt_judge *j, const struct object *o, uint64_t id)
{
	const struct ctt_coro *c = id ? ctt_model_coro(j->model, id) : NULL;
	const struct evidence *e = c ? c->evidence : NULL;

	return c && !(c->state == CTT_CORO_SUSPENDED && e && e->on == o);
}

/* Over a channel, to one that is not back at a channel, and does not wait for that lock. */
static bool may_be_sent(struct ctt_judge *j, const struct object *o, const struct hold *h)
{
	const struct ctt_coro *to =
		h->sent_to && !h->sent_often ? ctt_model_coro(j->model, h->sent_to) : NULL;

	return h->sent && (!to || may_have(j, o, to->id)) &&
		!(to && to->state == CTT_CORO_SUSPENDED && to->on.kind == CTT_ON_CHAN);
}

/* Permits whose levels report each change, and each that was given back was by who had it. */
static bool permits_are_known(const struct object *o)
{
	return o->kind == CTT_ON_SEM && o->permits && o->unmatched <= 0 && !o->refilled &&
		!o->passed_on;
}

/* It was taken in a source file of one of these kinds, or its holder began in one. */
static bool taken_in(const struct ctt_judge *j, const struct hold *h, const char *const kinds[])
{
	const struct ctt_coro *c = ctt_model_coro(j->model, h->by);
	const char *file = ctt_model_site(j->model, h->acquired.site)->file, *dot;

	if (!*file)
		file = ctt_model_site(j->model, c ? c->spawn_site : h->spawned)->file;
	dot = strrchr(file, '.');
	while (h->by && dot && *kinds && strcmp(dot, *kinds))
		kinds++;
	return h->by && dot && *kinds;
}

/* In Rust a guard is a value: of a lock that outlives all, one that ends may have returned it, sent it,
 * or moved it into another. */
bool hold_is_value(const struct ctt_judge *j, const struct hold *h)
{
	return taken_in(j, h, (const char *const[]){ ".rs", NULL });
}

/* In Java a permit is nobody's: what a request took, a callback gives back. */
bool permit_is_nobodys(const struct ctt_judge *j, const struct object *o, const struct hold *h)
{
	static const char *const kinds[] = { ".java", ".kt", ".scala", ".groovy", NULL };

	return o->kind == CTT_ON_SEM && taken_in(j, h, kinds);
}

const char *owner_doubt(struct ctt_judge *j, const struct object *o, const struct hold *h)
{
	if (hold_doubted(o) && !has_ends(o) && !permits_are_known(o))
		return "its holder ended without releasing it, but it was taken while somebody had it: not all releases may be reported";
	if (o->kind == CTT_ON_SEM && !o->returns && !permits_all_held(o))
		return "its holder ended without releasing it, but nobody was yet seen to give a permit back";
	if (o->kind == CTT_ON_SEM && o->taken + o->left_times < o->permits)
		return "its holder ended without releasing it, but another permit was given back, and who took that is not known";
	if (o->refilled)
		return "its holder ended without releasing it, but others than holders make permits available";
	if (h->finished && !h->created.ts)
		return "its holder ended without releasing it, but its beginning is not reported: somebody may have awaited it";
	if (h != o->left)
		return "its holder ended without releasing it, but the one that awaited that one lives and may have it";
	if (o->passed_on || (o->children && o->orphans) || may_have(j, o, o->child) ||
		(h->finished && may_be_sent(j, o, h)))
		return "its holder ended without releasing it, but may have handed it over";
	if (!has_ends(o) && (h->returned || h->woke_several || may_have(j, o, h->woke)) &&
		hold_is_value(j, h))
		return "its holder ended without releasing it, but may have returned the guard, or sent it: in Rust it is a value";
	if (permit_is_nobodys(j, o, h))
		return "its holder ended without releasing it, but in Java another may give a permit back";
	return NULL;
}

static bool owner_ended(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct object *o = e->on;
	const struct hold *h = o ? left_locked(j, e) : NULL;
	const char *doubt;

	if (!h || (o->level_known.line && o->level && o->level_known.ts > h->acquired.ts))
		return false;	/* or somebody says that it is free */
	doubt = owner_doubt(j, o, h);
	/* who awaited it has the lock, as of a lock() that is a coroutine, and may give it back yet */
	finding_set(f, CTT_V_DEAD_OWNER,
		h != o->left ? CTT_HINT :
			doubt ? CTT_SUSPECTED :
				CTT_PROVEN,
		h->ended.ts < h->acquired.ts ? h->acquired : h->ended,
		doubt                             ? doubt :
			h->ended.ts < h->acquired.ts ? "it was handed to one that had ended" :
			o->kind == CTT_ON_CHAN    ? "who alone could send has ended without closing the channel" :
			o->kind == CTT_ON_ROOM    ? "who alone could receive has ended without closing the channel" :
			o->kind == CTT_ON_COND    ? "who alone could bring it about has ended without doing so" :
						    "the lock's holder ended without releasing it");
	f->torn = hold_torn(j, h);
	if (h->finished && h->created.ts)
		add_fact(f, h->created);
	add_fact(f, h->acquired);
	add_fact(f, suspend_fact(e->c));
	add_fact(f, h->ended);
	return true;
}

bool rule_owner(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	return owner_ended(j, e, f) || legs_gone_rule(j, e, f, owner_ended);
}

/* Does the object say that what the early wake announced is still there? CTT_PROVEN yes,
 * CTT_UNKNOWN no, CTT_SUSPECTED and CTT_HINT not reported. Only this parts a missed wake from a duplicate one:
 * woken twice, it took all, and waits for more in good health. */
static enum ctt_certainty left_over(struct ctt_judge *j, struct evidence *e)
{
	const struct ctt_coro *c = e->c;
	const struct object *o = e->on;

	switch (c->on.kind) {
	case CTT_ON_CORO:	/* a generator alive may be awaited for its next value */
		return e->awaitee.line ? CTT_PROVEN : CTT_UNKNOWN;
	case CTT_ON_JOIN:
		return e->awaitee.line ? CTT_PROVEN : CTT_SUSPECTED;
	case CTT_ON_TIMER:	/* one shot, where the value can be a time at all */
		return c->on.value >= ctt_model_first_ts(j->model) && settled(j, c, c->on.value) ?
			CTT_PROVEN :
			c->on.value >= ctt_model_first_ts(j->model) ? CTT_UNKNOWN :
								      CTT_SUSPECTED;
	default:
		break;
	}
	if (object_held(o) || (o->woke_ts && o->woke_ts > c->wake_ts))
		return CTT_UNKNOWN;		/* taken; or others were reported later */
	/* a runtime may remember it, and its next park go on at once */
	if (!o->level_known.line)
		return CTT_HINT;
	return o->level == 0                   ? CTT_UNKNOWN :
		o->level_known.ts >= c->resumed ? CTT_PROVEN :
						 CTT_SUSPECTED;
}

static bool woken_too_early(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;
	/* a waker's contract is "poll me again", whatever it was for */
	bool repoll = e->wakers_known;
	enum ctt_certainty sure;

	if (!c->wake_ts || !c->resumed)
		return false;
	if (!repoll && !(e->on && c->wake_kind == e->on->kind && c->wake_key == e->on->key))
		return false;
	sure = repoll ? CTT_PROVEN : left_over(j, e);
	/* a runtime that remembers the wake queues it again */
	if (sure == CTT_UNKNOWN || may_be_queued(j, c, c->last_ts) ||
		may_be_behind_others(j, c, c->last_ts))
		return false;
	finding_set(f, CTT_V_MISSED_WAKE, sure,
		(struct ctt_fact){ c->wake_line, c->wake_ts, c->wake_tid, c->wake_by, c->wake_site,
			"woken while it still ran" },
		sure == CTT_PROVEN ?
			"the wake came while they still ran, and none came after" :
			"the wake came while they still ran; nothing shows whether they took what it was for");
	add_fact(f, (struct ctt_fact){ c->resume_line, c->resumed, 0, 0, 0, "resumed" });
	add_fact(f, f->cause);
	add_fact(f, suspend_fact(c));
	return true;
}

/* Does a level say that something is left, and not room for more of it? */
static bool level_is_left(const struct object *o, const struct ctt_coro *c)
{
	return o->level_known.line && o->level && o->level_known.ts >= c->resumed &&
		o->level_known.by != c->id && o->kind != CTT_ON_CHAN && !o->level_falls_far;
}

/* Whoever is busy with one item and takes the next, that came meanwhile, before it waits again looks
 * the same: without a level that says that something is left, this is a hint. */
static enum ctt_certainty early_notify(const struct evidence *e)
{
	const struct object *o = e->on;
	const struct ctt_coro *c = e->c;

	if (may_be_full(e))
		return CTT_HINT;
	return level_is_left(o, c) ? CTT_PROVEN :
		o->level_known.line && o->level_known.ts <= o->no_waiter.ts ? CTT_SUSPECTED :
									       CTT_HINT;
}

/* A notify found nobody while this one waited, for what is so still: it stood in no list yet. */
static bool overlooked(struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;
	const struct object *o = e->on;

	if (o->kind != CTT_ON_COND || o->woke_ts > c->last_ts ||
		!o->level_known.line || !o->level || o->level_known.ts > o->no_waiter.ts ||
		o->level_known.by == c->id || object_held(o))
		return false;
	finding_set(f, CTT_V_MISSED_WAKE, may_be_full(e) ? CTT_HINT : CTT_PROVEN, o->no_waiter,
		"the notify found nobody though they waited, and what it notified of is there still");
	add_fact(f, o->level_known);
	add_fact(f, suspend_fact(c));
	add_fact(f, o->no_waiter);
	return true;
}

/* A notify that found no waiter, while this one was on its way to wait. */
static bool notified_too_early(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	enum ctt_certainty sure;
	const struct ctt_coro *c = e->c;
	const struct object *o = e->on;

	if (!o || !o->no_waiter.line || (c->id && o->no_waiter.by == c->id) || !c->resumed)
		return false;
	if (o->no_waiter.ts > c->last_ts)
		return overlooked(e, f);
	if (o->no_waiter.ts < c->resumed) {	/* whatever it was about may have been found */
		/* where others say what for, a wake for nothing, as a cancellation's, is no evidence */
		if ((j->wakes_named ? o->woken_for : o->woke_ts != 0) || o->level_known.line ||
			o->kind == CTT_ON_FD || object_held(o))
			return false;
		finding_set(f, CTT_V_MISSED_WAKE, CTT_HINT, o->no_waiter,
			"the only notify came before they did, when nobody waited");
		add_fact(f, o->no_waiter);
		add_fact(f, suspend_fact(c));
		return true;
	}
	if (o->woke_ts > o->no_waiter.ts || (o->level_known.line && !o->level) ||
		o->kind == CTT_ON_FD || object_held(o))
		return false;
	sure = early_notify(e);
	finding_set(f, CTT_V_MISSED_WAKE, sure, o->no_waiter,
		sure == CTT_PROVEN ?
			"the notify came while they still ran, and what it notified of is there still" :
			sure == CTT_SUSPECTED ?
			"the notify came while they still ran; whether what is there is for them is not reported" :
			"the notify came while they still ran; no level shows whether anything was left for them");
	add_fact(f, (struct ctt_fact){ c->resume_line, c->resumed, 0, 0, 0, "resumed" });
	add_fact(f, o->no_waiter);
	add_fact(f, suspend_fact(c));
	return true;
}

/* Others were notified while it was on its way, and nobody since: it may wait for what is over, as
 * for an old generation of a barrier; or for the next. */
static bool others_notified(struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;
	const struct object *o = e->on;

	if (!o || o->kind != CTT_ON_COND || !o->some.line || !c->resumed ||
		o->some.ts < c->resumed || o->some.ts > c->last_ts || o->woke_ts > c->last_ts ||
		(c->id && o->some.by == c->id))
		return false;
	finding_set(f, CTT_V_MISSED_WAKE, CTT_HINT, o->some,
		"others were notified while they still ran, and nobody since: they may wait for what is over");
	add_fact(f, (struct ctt_fact){ c->resume_line, c->resumed, 0, 0, 0, "resumed" });
	add_fact(f, o->some);
	add_fact(f, suspend_fact(c));
	return true;
}

static bool missed_one(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	return woken_too_early(j, e, f) || notified_too_early(j, e, f) || others_notified(e, f);
}

bool rule_missed(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	return missed_one(j, e, f) || legs_rule(j, e, f, missed_one, CTT_PROVEN);
}

static bool is_awaited(struct ctt_judge *j, const struct ctt_coro *c)
{
	struct ctt_on on = { CTT_ON_CORO, true, true, c->id, { NULL, 0 } };
	const struct object *o = object_find(j, &on, 0);

	return o && (o->waiters || o->legs);
}

/* No waker was made for this wait, and what it waits on comes by itself. */
static bool has_other_waker(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;

	if (e->cloned >= c->resumed)
		return false;
	return c->on.kind == CTT_ON_TIMER ? c->on.number && !settled(j, c, c->on.value) :
					    c->on.kind == CTT_ON_FD && c->on.known;
}

/* What Go's collector found, and memory without a runtime's count, is no matter of wakers. */
static const char *waker_help(const struct ctt_coro *c)
{
	if (!c->leaked)
		return c->no_wakers ? NULL :
				      "keep what resumes it (its waker, its handle) where whoever is to do so finds it, until that is done";
	switch (c->on.kind) {
	case CTT_ON_MUTEX:
		return "unlock on every way out, with defer; take locks in one order";
	case CTT_ON_JOIN:
		return "call Done on every way out, with defer; wait behind the loop that adds";
	case CTT_ON_COND:
		return "signal after every change of what is waited for, on every way out, with the lock held where it changes";
	case CTT_ON_CHAN:
		if (is_send(c))
			return "give the channel room for what is still sent when the receiver leaves, or select on a cancel";
		return "close the channel on every way out of who sends, with defer, or select on a cancel";
	default:
		return "select on a cancel as well, and cancel on every way out, with defer";
	}
}

static bool needs_no_waker(const struct ctt_coro *c)
{
	size_t never = 0, count = c->legs ? c->legs->count : 0;

	for (size_t i = 0; i < count; i++)
		never += c->legs->leg[i].on.kind == CTT_ON_NEVER;
	return c->on.kind == CTT_ON_NEVER || (count && never == count);
}

/* It, or one of several that it waits for: of whom no waker was ever kept, it may mean to wait for ever. */
static bool may_need_none(const struct ctt_coro *c)
{
	bool any = ctt_on_is(&c->on, NO_WAKER);

	for (size_t i = 0; c->legs && i < c->legs->count; i++)
		any |= ctt_on_is(&c->legs->leg[i].on, NO_WAKER);
	return any;
}

static void set_forgotten(struct ctt_finding *f, struct ctt_fact cause)
{
	finding_set(f, CTT_V_LOST_WAKER, CTT_UNKNOWN, cause,
		"nobody has a waker of theirs: a future forgot it, or is std::future::pending(), which needs none");
}

/* What a snapshot of the process's memory says, or the runtime's count as a waker was dropped: true
 * of that moment whatever came before. */
static bool unreachable(const struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;
	struct ctt_fact seen = suspend_fact(c);
	bool dropped = c->no_wakers && e->dropped.line && e->dropped.ts >= c->last_ts;

	if (needs_no_waker(c) || !(c->leaked || c->no_wakers || c->no_refs))
		return false;
	seen.what = "seen waiting";
	if (c->no_wakers && may_need_none(c) && !dropped) {
		set_forgotten(f, seen);
		add_fact(f, seen);
		return true;
	}
	finding_set(f, CTT_V_LOST_WAKER, c->leaked || c->no_wakers ? CTT_PROVEN : CTT_SUSPECTED,
		dropped ? e->dropped : seen,
		c->leaked ?
			"their runtime's own collector found that nothing can wake them" :
			c->no_wakers ?
			"no reference is left by which anything could wake them, as their runtime counts" :
			"nothing in the process's memory refers to them");
	f->help = waker_help(c);
	add_fact(f, seen);
	if (dropped)
		add_fact(f, e->dropped);
	return true;
}

/* Only of a root: one that is polled by its parent, or awaited, may be run again without a waker of
 * its own. */
bool rule_waker(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;

	if (unreachable(e, f))
		return true;
	if (!e->wakers_known || e->wakers_odd || e->wakers || !c->created ||
		e->dropped.ts <= e->suspended)
		return false;
	if (e->polled || is_awaited(j, c) || has_other_waker(j, c))
		return false;
	if (j->unwoken && !j->model->counted[CTT_EV_WAKE])	/* wakes are not reported at all */
		return false;
	if (ctt_on_is(&c->on, NO_WAKER)) {
		set_forgotten(f, e->dropped);
		f->help = "keep the waker until it is called; where they are to wait for ever, await corotrace::pending()";
	} else {
		finding_set(f, CTT_V_LOST_WAKER, CTT_PROVEN, e->dropped,
			"their last waker was dropped: nobody is left who could wake them");
	}
	add_fact(f, (struct ctt_fact){ c->create_line, c->created, 0, 0, 0, "created" });
	add_fact(f, suspend_fact(c));
	add_fact(f, e->dropped);
	return true;
}
