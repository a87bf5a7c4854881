/* untold.c - who waits, and nothing can be said of how that ends: nobody is accused, and the trace is not called healthy.
 * Contracts in verdict.h and cttrace/judge.h. */
#include <stdio.h>

#include "judge/judge.h"

/* Of a lock or permits nobody was ever reported to have any, nor how many there are, nor does any wake
 * say what it is for. Or it is a lock, and whoever has its guard has it: permits are often given so, and
 * waited for as long as those work who have them (room.c). Go's locks have a rule of their own (go-waits.c). */
static bool is_untold(const struct ctt_judge *j, struct object *o, const struct evidence *e)
{
	if (is_lock(e->c) || !o || (o->kind != CTT_ON_MUTEX && o->kind != CTT_ON_SEM) || o->levels)
		return false;
	if (o->acquires)
		return o->kind == CTT_ON_MUTEX && hold_is_anybodys(o);
	return !j->wakes_named;
}

/* Who waits for a lock that the one has who created it. */
static void count_kept(struct ctt_judge *j)
{
	struct ctt_coro *c;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		evidence_of(c)->kids_kept = 0;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		const struct evidence *e = c->evidence;
		struct ctt_coro *parent = c->parent ? ctt_model_coro(j->model, c->parent) : NULL;

		if (parent && e->on && e->on->kind == CTT_ON_MUTEX && e->suspended && !e->woken &&
			hold_find(e->on, parent->id, 0))
			evidence_of(parent)->kids_kept++;
	}
}

/* Do all whom it created wait for locks that it has? */
static bool keeps_kids(const struct evidence *e)
{
	return !e->kids_live || e->kids_kept == e->kids_live;
}

/* An answer that whoever has the other end owes, and that is none whom it created itself, and does not keep from
 * it; or room in a channel from which whoever has the other end takes, as far as that one does. */
static bool is_owed(const struct ctt_judge *j, struct object *o, const struct evidence *e)
{
	(void)j;
	return o && is_channel(o) && !o->levels && !o->closed.line && hold_is_anybodys(o) &&
		(o->kind == CTT_ON_ROOM || keeps_kids(e));
}

static bool waiters_have(const struct ctt_judge *j, const struct object *o)
{
	for (const struct hold *h = o->holds; h; h = h->next) {
		const struct ctt_coro *c = hold_lives(h) ? ctt_model_coro(j->model, h->by) : NULL;

		if (!c || !hold_is_value(j, h) || c->state != CTT_CORO_SUSPENDED ||
			((const struct evidence *)c->evidence)->on != o)
			return false;
	}
	return o->holds && !o->left && !o->passed_on;
}

/* Those permits that are had are guards of those who wait for more of them. */
static bool is_had_by_waiters(const struct ctt_judge *j, struct object *o)
{
	if (!o->waiters_have)
		o->waiters_have = waiters_have(j, o) ? YES : NO;
	return o->waiters_have == YES;
}

/* Permits of which some were taken, nobody else has any, and none was ever added: fewer may be left than it wants. */
static bool is_short(const struct ctt_judge *j, struct object *o, const struct evidence *e)
{
	(void)e;
	return o && o->kind == CTT_ON_SEM && o->fresh && !o->levels && !o->closed.line &&
		o->acquires && !o->added && !o->some.line &&
		(!object_held(o) || is_had_by_waiters(j, o));
}

typedef bool kind_of_wait(const struct ctt_judge *, struct object *, const struct evidence *);

/* Is it such a thing that it waits for, or that and what nobody knows, or a socket? */
static bool is_on_such(const struct ctt_judge *j, const struct evidence *e, kind_of_wait *is_such)
{
	uint32_t such = 0, unknown = 0;

	if (!e->legs)
		return is_such(j, e->on, e);
	for (uint32_t i = 0; i < e->legs->count; i++) {
		enum ctt_on_kind kind = e->c->legs->leg[i].on.kind;

		such += is_such(j, e->legs->leg[i].on, e);
		unknown += kind == CTT_ON_NONE || kind == CTT_ON_FD ||
			(kind == CTT_ON_TIMER && is_such == is_short && asks_since(e));
	}
	return such && (e->legs->all || such + unknown == e->legs->count);
}

/* A lock that it has itself, beside what may come: that one of its branches has it, and gives it back
 * then, no line tells. */
static bool is_on_own(const struct evidence *e)
{
	bool own = false;

	for (uint32_t i = 0; e->legs && i < e->legs->count; i++) {
		const struct object *o = e->legs->leg[i].on;

		if (e->c->legs->leg[i].on.kind == CTT_ON_TIMER && !asks_since(e))
			return false;
		own |= o && o->kind == CTT_ON_MUTEX && o->held == 1 && hold_find(o, e->c->id, 0);
	}
	return own;
}

/* What is known of one that waits; NULL: it does not, or is none of those to be counted. */
static const struct evidence *waiting(const struct ctt_judge *j, const struct ctt_coro *c)
{
	return c->state == CTT_CORO_SUSPENDED && !is_torn_down(j, c) && !c->system && !c->doubted &&
			!c->untraced ?
		c->evidence :
		NULL;
}

static bool waits_for_own(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = waiting(j, c);

	return e && is_on_own(e) && waits_long(j, e);
}

static bool waits_again(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = waiting(j, c);

	return e && asks_in_vain(j, e) && waits_long(j, e);
}

/* For what nobody tells, with a lock for which all wait whom it created: perhaps for their end. */
static bool waits_for_kids(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = waiting(j, c);

	return e && c->on.kind == CTT_ON_NONE && !e->legs && e->kids_live && keeps_kids(e) &&
		waits_long(j, e);
}

/* Of one look at a process nobody knows how long it has waited. */
static bool is_of_one_look(const struct ctt_judge *j, const struct ctt_coro *c)
{
	return c->since_before &&
		ctt_model_first_ts(j->model) == ctt_model_last_ts(j->model);
}

/* Who has what it waits for, and whether he lives, no line tells: of one look, not of room, which is in it. */
static bool waits_for(const struct ctt_judge *j, const struct ctt_coro *c, kind_of_wait *is_such)
{
	const struct evidence *e = waiting(j, c);

	return e && is_on_such(j, e, is_such) &&
		(is_of_one_look(j, c) ? is_such == is_untold : waits_long(j, e));
}

/* Whoever closed it may have queued who waits. */
static bool waits_for_closed(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = waiting(j, c);

	return e && c->closed && (is_of_one_look(j, c) || waits_long(j, e));
}

/* A lock's, or a channel's: it may be one of a cycle. */
static bool waits_shared(const struct ctt_coro *c)
{
	enum { LOCKS = 1u << CTT_ON_MUTEX | 1u << CTT_ON_SEM,
		ENDS = 1u << CTT_ON_CHAN | 1u << CTT_ON_ROOM };
	uint32_t kinds = 1u << c->on.kind;

	for (size_t i = 0; c->legs && i < c->legs->count; i++)
		kinds |= 1u << c->legs->leg[i].on.kind;
	return kinds & (LOCKS | ENDS) && c->state == CTT_CORO_SUSPENDED && !c->system;
}

/* Of what ran while it was looked at nobody says who has what. */
static bool waits_torn(const struct ctt_judge *j, const struct ctt_coro *c)
{
	return j->model->torn && !j->model->counted[CTT_EV_ACQUIRE] && !c->doubted &&
		waits_shared(c);
}

/* How many want to run, and all workers of theirs are inside a poll that may be a block: of findings
 * that are hints. */
static size_t behind_polls(const struct ctt_judge *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->count; i++) {
		const struct ctt_finding *f = &j->findings[i];

		if (f->verdict == CTT_V_BLOCKED_WORKERS && f->certainty == CTT_HINT &&
			f->to_run > n)
			n = f->to_run;
	}
	return n;
}

static const struct { const char *text, *help; } ways[WAYS] = {
	[UNTRACED] = { "in tasks that are not traced",
		"trace these, too: .traced() where they are spawned, corotrace::layer() for those that a library spawns" },
	[CLOSED] = { "for descriptors that are not open (any more)",
		"look who closes them: resume who waits before, or with it, on every path that closes" },
	[TORN] = { "for locks or channels of what ran while it was looked at",
		"look at it while it is stopped, or twice: who waits there still, does" },
	[DOUBTED] = { "for locks or channels by what may have been destroyed",
		"look at a build by gcc, or at one whose memory is of glibc's malloc: there it is known what lives" },
	[UNTOLD] = { "for locks or permits of which no line tells who has them",
		"look who took them last: who has them is told of borrowed guards under corotrace::tokio, and by ct_acquire() and ct_release()" },
	[OWED] = { "for room or answers of which no line tells who gives them",
		"look who has the other end: is an answer sent on every way out, does who receives wait for the sender?" },
	[OWN_LOCK] = { "for a lock that who waits has himself, beside something else",
		"look whether another branch of the same task has it: let it go before the branches wait" },
	[AGAIN] = { "for a lock again and again, which who has it cannot give back",
		"look who took it last and has ended, or waits likewise: release on every way out, take locks in one order" },
	[SHORT] = { "for permits of which nobody else has any",
		"look whether as many were ever there, and who kept or forgot some; take at once what is needed" },
	[KIDS] = { "for what no line tells, by who keeps a lock from all whom it created",
		"let the lock go before waiting for those who need it" },
	[ROOMS] = { "for room where nobody is known to take who may go on",
		"let nobody wait to send to one that waits for it: give it room, a time limit, or send from a task of its own" },
	[PERMITS] = { "for permits that nobody is known to have who may go on",
		"let nobody wait for a permit while it has one, or while one who has one waits for it" },
	[EVENTS] = { "for events that nobody is known to bring about who may go on",
		"look who was to notify, and waits himself: does he need what those have who wait?" },
	[ITEMS] = { "for what nobody is left to send or bring about",
		"look who was to, and has ended or waits there, too: send, notify or close on every way out, let none wait with the last sender" },
	[STANDSTILL] = { "for what nobody who was seen could bring about",
		"look for the one that was to begin: it notified too early, keeps a sender, or is one of those who wait" },
	[UNSERVED] = { "to run, and no worker that is left does anything",
		"look what the workers are inside of, as a lock of the scheduler's or a call that blocks, and where the wake went: what is woken has to be in a queue, and a worker has to look there" },
	[POLLS] = { "for a worker: each is inside a poll", NULL },	/* these findings say */
	[FULL] = { "for a blocking thread: each is kept by one that waits",
		"let nobody wait on a blocking thread for what another one is needed for; give it a thread of its own, or allow more" },
};

static enum way first_way(const size_t n[WAYS])
{
	enum way w = 0;

	while (w < WAYS && !n[w])
		w++;
	return w;
}

/* None of them goes on. */
static size_t mark_all(struct ctt_judge *j, enum way w, size_t count)
{
	struct ctt_coro *c;

	for (size_t i = 0; count && (c = ctt_model_next(j->model, &i));)
		untold_mark(c, w, !c->system && !is_torn_down(j, c));
	return count;
}

static void count_each(struct ctt_judge *j, size_t n[WAYS])
{
	struct ctt_coro *c;

	count_kept(j);
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct evidence *e = c->evidence;

		if (e)
			e->untold = 0;
		if (e && e->explained)
			continue;
		n[UNTRACED] += untold_mark(
			c, UNTRACED, c->untraced && c->state == CTT_CORO_SUSPENDED);
		n[CLOSED] += untold_mark(c, CLOSED, waits_for_closed(j, c));
		n[TORN] += untold_mark(c, TORN, waits_torn(j, c));
		n[DOUBTED] += untold_mark(c, DOUBTED, c->doubted && waits_shared(c));
		n[UNTOLD] += untold_mark(c, UNTOLD, waits_for(j, c, is_untold));
		n[OWED] += untold_mark(c, OWED, waits_for(j, c, is_owed));
		n[OWN_LOCK] += untold_mark(c, OWN_LOCK, waits_for_own(j, c));
		n[AGAIN] += untold_mark(c, AGAIN, waits_again(j, c));
		n[SHORT] += untold_mark(c, SHORT, waits_for(j, c, is_short));
		n[KIDS] += untold_mark(c, KIDS, waits_for_kids(j, c));
	}
}

const char *untold_waits(struct ctt_judge *j)
{
	size_t n[WAYS] = { 0 };
	enum way w;

	count_each(j, n);
	if (first_way(n) == WAYS)
		channel_hopeless(j, n);		/* what it marks nobody sees */
	if (first_way(n) == WAYS)
		n[UNSERVED] = judge_unserved(j);
	if (first_way(n) == WAYS)
		n[POLLS] = behind_polls(j);	/* whom these findings name */
	if (first_way(n) == WAYS)
		n[FULL] = judge_full(j);
	if (first_way(n) == WAYS)
		n[STANDSTILL] = mark_all(j, STANDSTILL, judge_standstill(j));
	j->untold_way = w = first_way(n);
	if (w == WAYS)
		return NULL;
	snprintf(j->untold, UNTOLD_SIZE, "%zu wait%s %s", n[w], n[w] == 1 ? " is" : "s are", ways[w].text);
	j->doubt_help = ways[w].help;
	return j->untold;
}

const struct ctt_coro *ctt_judge_doubted(const struct ctt_judge *j, size_t *at)
{
	const struct ctt_coro *c;

	while (j->untold_way < WAYS && (c = ctt_model_next(j->model, at))) {
		const struct evidence *e = c->evidence;

		if (e && e->untold >> j->untold_way & 1)
			return c;
	}
	return NULL;
}
