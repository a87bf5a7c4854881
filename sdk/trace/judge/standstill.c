/* standstill.c - the main thread waits for a coroutine, and that one and all others wait for what only coroutines
 * bring about, as nobody does who waits himself. A thread of which nothing is told may still come: that accuses
 * nobody, and is not healthy either. */
#include <string.h>

#include "judge/judge.h"

/* Do coroutines alone bring that about, as far as is known? */
static bool is_by_coroutines(const struct ctt_judge *j, const struct ctt_on *on)
{
	enum { KINDS = 1u << CTT_ON_CHAN | 1u << CTT_ON_ROOM | 1u << CTT_ON_COND |
		1u << CTT_ON_MUTEX | 1u << CTT_ON_SEM };

	if (on->kind == CTT_ON_CORO || on->kind == CTT_ON_JOIN)
		return on->known && ctt_model_coro(j->model, ctt_on_key(on));
	return on->known && KINDS >> on->kind & 1;
}

static bool stands(const struct ctt_judge *j, const struct ctt_coro *c)
{
	if (c->state != CTT_CORO_SUSPENDED || c->doubted || c->untraced ||
		ctt_model_last_ts(j->model) < c->since + CTT_JUDGE_GRACE_NS)
		return false;
	if (!c->legs)
		return is_by_coroutines(j, &c->on);
	for (size_t i = 0; i < c->legs->count; i++)
		if (!is_by_coroutines(j, &c->legs->leg[i].on))
			return false;
	return true;
}

/* Is that the one process, and does its main thread wait for a coroutine? */
static bool main_waits(const struct ctt_judge *j)
{
	const struct ctt_worker *w, *first = NULL;
	bool waits = false;

	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));) {
		first = first ? first : w;
		if (w->pid != first->pid)
			return false;
		waits |= w->tid == w->pid && !w->ended && w->role && !strcmp(w->role, "blocking");
	}
	return waits;
}

size_t judge_standstill(const struct ctt_judge *j)
{
	const struct ctt_coro *c;
	size_t count = 0;

	if (j->born_before || j->torn_down || !main_waits(j))
		return 0;
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		if (!c->system && !stands(j, c))
			return 0;
		count += !c->system;
	}
	return count;
}
