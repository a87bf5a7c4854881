/* asleep.c - all are asleep: each coroutine that lives waits for what only another of them brings about, or a plain
 * thread; and none of these ever did, nor is one left that is no worker. Nobody is accused, for one may come that was
 * never seen; it is not healthy either. Contract in verdict.h. */
#include <string.h>

#include "judge/judge.h"

static bool is_inner(enum ctt_on_kind kind)
{
	return kind == CTT_ON_COND || kind == CTT_ON_CHAN || kind == CTT_ON_ROOM ||
		kind == CTT_ON_MUTEX || kind == CTT_ON_SEM || kind == CTT_ON_CORO ||
		kind == CTT_ON_JOIN;
}

static bool is_asleep(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	uint64_t now = ctt_model_last_ts(j->model);

	if (!e || c->state != CTT_CORO_SUSPENDED || c->doubted || c->untraced ||
		now < e->suspended || now - e->suspended < CTT_JUDGE_GRACE_NS)
		return false;
	for (size_t i = 0; c->legs && i < c->legs->count; i++)
		if (!is_inner(c->legs->leg[i].on.kind))
			return false;
	return c->legs || (is_inner(c->on.kind) && c->on.known);
}

static bool is_plain_left(const struct ctt_judge *j)
{
	const struct ctt_worker *w;

	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));)
		if (!w->ended && !(w->role && !strcmp(w->role, "worker")))
			return true;
	return false;
}

size_t judge_all_asleep(const struct ctt_judge *j)
{
	const struct ctt_coro *c;
	size_t n = 0;

	if (j->born_before || j->torn_down || j->plain_woke || is_plain_left(j))
		return 0;
	for (size_t i = 0; i < j->count; i++)
		if (j->findings[i].certainty == CTT_PROVEN ||
			j->findings[i].certainty == CTT_SUSPECTED)
			return 0;	/* that is said */
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		if (c->system)
			continue;
		if (!is_asleep(j, c))
			return 0;
		n++;
	}
	return n;
}

void asleep_note(struct ctt_judge *j, const struct ctt_event *ev, const struct object *o)
{
	/* where levels are reported these say who did it: a wake without may be the operation's own, done at once */
	j->plain_woke |= !ev->by && o && is_inner(o->kind) && !(is_channel(o) && o->levels);
}
