/* go-waits.c - verdicts on goroutines, whose traces name no object: who waits for a lock or a group for so
 * long that nobody does so by design. These are suspicions: who holds the lock may only be slow.
 *
 * What each cannot see: a holder that works for over a second (stuck-lock), a Done by one that is no
 * descendant and was not woken for it, as by a pool that takes it from a queue when it has time
 * (stuck-group). */
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
bool is_lock(const struct ctt_coro *c)
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

bool go_too_long(struct ctt_judge *j, const struct evidence *e)
{
	uint64_t now = end_for(j, e->c), waits = now > e->suspended ? now - e->suspended : 0;

	return e->point && waits >= LONG_NS && waits / TIMES >= e->point->longest_ns;
}

bool go_accuse(const struct evidence *e, struct ctt_finding *f, enum ctt_verdict v,
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
	if (!is_lock(e->c) || !go_too_long(j, e))
		return false;
	return go_accuse(e, f, CTT_V_STUCK_LOCK, CTT_SUSPECTED,
		e->point->longest_ns ?
			"nobody waits for a lock by design, and those who did here never waited a tenth as long" :
			"nobody waits for a lock by design, and nobody who waited here ever got it");
}

static bool waits(const struct ctt_coro *c)
{
	return c->state == CTT_CORO_SUSPENDED;
}

static void mark_errand(struct ctt_judge *j, uint64_t id)
{
	struct ctt_coro *c = id ? ctt_model_coro(j->model, id) : NULL;

	if (c && c->evidence)
		evidence_of(c)->on_errand = true;
}

static void note_spawned(struct point *p, uint64_t ts)
{
	if (!p->spawned || ts < p->spawned)
		p->spawned = ts;
}

/* Of those that live: when the last was made whose maker has ended, for it may be anybody's grandchild; who has
 * sent one on an errand; and of each go statement, when the first was made that is in no send. */
void judge_go(struct ctt_judge *j)
{
	struct ctt_coro *c;

	j->last_orphan = 0;
	for (size_t i = 0; i < j->points.count; i++)
		((struct point *)j->points.item[i])->spawned = 0;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		const struct evidence *e = c->evidence;

		if (c->system)
			continue;
		if (c->created > j->last_orphan && c->parent &&
			!ctt_model_coro(j->model, c->parent))
			j->last_orphan = c->created;
		if (e && e->errand.at && !(waits(c) && e->point == e->errand.at)) {
			mark_errand(j, e->errand.by);
			mark_errand(j, e->errand.by_parent);
		}
		if (c->spawn_site && c->created && !(waits(c) && is_send(c)))
			note_spawned(keyed_get(&j->points, c->spawn_site), c->created);
	}
}

bool kids_ended(struct ctt_judge *j, const struct evidence *e)
{
	return e->kids && !e->kids_live && j->last_orphan <= e->first_kid;
}

bool rule_go_group(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	if (!is_group(e->c) || !go_too_long(j, e) || !kids_ended(j, e))
		return false;
	if (e->on_errand)
		return go_accuse(e, f, CTT_V_STUCK_GROUP, CTT_HINT,
			"all whom they started have ended, but one whom they woke over a channel goes on");
	return go_accuse(e, f, CTT_V_STUCK_GROUP, CTT_SUSPECTED,
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
