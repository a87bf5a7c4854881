/* go-waits.c - verdicts on goroutines, whose traces name no object: who waits for a lock, sends, or
 * waits for a group, for so long that nobody does so by design. These are suspicions: who holds the
 * lock, or could receive, may only be slow.
 *
 * What each cannot see: a holder that works for over a second (stuck-lock), a receiver that is yet
 * to come from a goroutine that never had to do with this channel (stuck-send), a Done by one that
 * is no descendant (stuck-group). */
#include <string.h>

#include "judge/judge.h"

enum { TIMES = 10 };			/* so many times the longest wait that ended well */
#define LONG_NS 1000000000ull		/* and no less than this */

static bool begins(const char *s, const char *prefix)
{
	return s && !strncmp(s, prefix, strlen(prefix));
}

/* Go gives a reason for every wait; a probe that names what is locked is judged by that
 * (rules.c). */
static bool is_lock(const struct ctt_coro *c)
{
	return c->on.kind == CTT_ON_MUTEX && begins(c->reason, "sync");
}

bool is_send(const struct ctt_coro *c)
{
	return c->on.kind == CTT_ON_CHAN && begins(c->reason, "chan send");
}

static bool is_group(const struct ctt_coro *c)
{
	return c->on.kind == CTT_ON_JOIN && begins(c->reason, "sync");
}

static bool too_long(struct ctt_judge *j, const struct evidence *e)
{
	uint64_t now = end_for(j, e->c), waits = now > e->suspended ? now - e->suspended : 0;

	return e->point && waits >= LONG_NS && waits / TIMES >= e->point->longest_ns;
}

static bool accuse(const struct evidence *e, struct ctt_finding *f, enum ctt_verdict v,
	enum ctt_certainty sure, const char *because)
{
	f->verdict = v;
	f->certainty = sure;
	f->because = because;
	add_fact(f, suspend_fact(e->c));
	return true;
}

bool rule_go_lock(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	if (!is_lock(e->c) || !too_long(j, e))
		return false;
	return accuse(e, f, CTT_V_STUCK_LOCK, CTT_SUSPECTED,
		e->point->longest_ns ?
			"nobody waits for a lock by design, and those who did here never waited a tenth as long" :
			"nobody waits for a lock by design, and nobody who waited here ever got it");
}

/* Will the one that made it come to receive? It may, when it has worked ever since, or has to be
 * woken by somebody else first; not when it slept, or read from the network, meanwhile. */
static bool may_receive(struct ctt_judge *j, const struct evidence *e)
{
	static const unsigned woken = 1u << CTT_ON_CHAN | 1u << CTT_ON_JOIN | 1u << CTT_ON_MUTEX |
		1u << CTT_ON_SEM | 1u << CTT_ON_COND;
	const struct ctt_coro *parent =
		e->c->parent ? ctt_model_coro(j->model, e->c->parent) : NULL;

	if (!parent)
		return false;
	if (parent->evidence && ((struct evidence *)parent->evidence)->rested > e->suspended)
		return false;
	return parent->state != CTT_CORO_SUSPENDED ||
		(woken >> parent->on.kind & 1 && !is_send(parent) && !is_lock(parent));
}

/* Who ever received here, by what woke a sender; and some of them live. */
static bool has_receiver(struct ctt_judge *j, const struct point *p)
{
	for (size_t i = 0; i < p->waker_count; i++)
		if (ctt_model_coro(j->model, p->wakers[i]))
			return true;
	return false;
}

/* A generator sends again and again, and rests in its send while nobody asks. One that never got
 * rid of anything here, whose maker has gone on, is none; nor is one whose receivers have all
 * ended. */
bool rule_go_send(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	const struct ctt_coro *c = e->c;

	if (!is_send(c) || !too_long(j, e))
		return false;
	if (e->sent == e->point)
		return !e->point->outside && e->point->waker_count && !has_receiver(j, e->point) &&
			accuse(e, f, CTT_V_STUCK_SEND, CTT_SUSPECTED,
				"all who ever received what is sent here have ended");
	if (!c->created)
		return accuse(e, f, CTT_V_STUCK_SEND, CTT_HINT,
			"nobody received what they send since before the trace began");
	if (may_receive(j, e))
		return accuse(e, f, CTT_V_STUCK_SEND, CTT_HINT,
			"nobody received what they send, and the one that made them may yet");
	return accuse(e, f, CTT_V_STUCK_SEND, CTT_SUSPECTED,
		!c->parent ? "nobody received what they send, and who made them is not reported" :
		ctt_model_coro(j->model, c->parent) ?
			"nobody received what they send, and the one that made them does other things" :
			"nobody received what they send, and the one that made them has ended");
}

/* When the last was made that lives and whose maker has ended: it may be anybody's grandchild. */
static uint64_t last_orphan(struct ctt_judge *j)
{
	struct ctt_coro *c;

	if (j->orphans_looked)
		return j->last_orphan;
	j->orphans_looked = true;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (!c->system && c->created > j->last_orphan && c->parent &&
			!ctt_model_coro(j->model, c->parent))
			j->last_orphan = c->created;
	return j->last_orphan;
}

bool kids_ended(struct ctt_judge *j, const struct evidence *e)
{
	return e->kids && !e->kids_live && last_orphan(j) <= e->first_kid;
}

bool rule_go_group(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	if (!is_group(e->c) || !too_long(j, e) || !kids_ended(j, e))
		return false;
	return accuse(e, f, CTT_V_STUCK_GROUP, CTT_SUSPECTED,
		"all whom they started have ended, and nobody whom those started is left");
}

void kid_created(struct ctt_coro *parent, uint64_t ts)
{
	struct evidence *e = evidence_of(parent);

	e->first_kid = e->kids++ ? e->first_kid : ts;
	e->kids_live++;
}

void kid_ended(struct ctt_coro *parent)
{
	struct evidence *e = parent->evidence;

	if (e && e->kids_live)
		e->kids_live--;
}
