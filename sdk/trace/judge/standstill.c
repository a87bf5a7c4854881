/* standstill.c - each coroutine that lives waits for what others of them bring about, and no thread is known that could:
 * the main one waits for a coroutine itself, or each is a worker, and no plain one ever brought such about. Nobody is
 * accused, for one may come that was never seen; it is not healthy either. Contract in verdict.h. */
#include <string.h>

#include "judge/judge.h"

/* what coroutines bring about, and coroutines themselves */
enum {
	COROS = 1u << CTT_ON_CORO | 1u << CTT_ON_JOIN,
	INNER = COROS | 1u << CTT_ON_CHAN | 1u << CTT_ON_ROOM | 1u << CTT_ON_COND |
		1u << CTT_ON_MUTEX | 1u << CTT_ON_SEM,
};

static bool is_inner(const struct ctt_judge *j, const struct ctt_on *on)
{
	return on->known && INNER >> on->kind & 1 &&
		(!(COROS >> on->kind & 1) || ctt_model_coro(j->model, ctt_on_key(on)));
}

/* Or it has never begun, as in a runtime that nobody drives: known of Rust's, where alone lines of wakers are as a rule.
 * Of others a first run may be seen late. */
static bool stands(const struct ctt_judge *j, const struct ctt_coro *c)
{
	if (c->doubted || c->untraced || lived_until(j, c) < c->since + CTT_JUDGE_GRACE_NS)
		return false;
	if (c->state == CTT_CORO_CREATED)
		return j->model->counted[CTT_EV_WAKER];
	if (c->state != CTT_CORO_SUSPENDED)
		return false;
	if (!c->legs)
		return is_inner(j, &c->on);
	for (size_t i = 0; i < c->legs->count; i++)
		if (!is_inner(j, &c->legs->leg[i].on))
			return false;
	return true;
}

/* Does the main thread of the one process wait for a coroutine, or is each thread a worker? */
static bool no_thread_acts(const struct ctt_judge *j)
{
	const struct ctt_worker *w, *first = NULL;
	bool main_waits = false, alone = true, workers = !j->plain_woke;

	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));) {
		first = first ? first : w;
		alone &= w->pid == first->pid;
		if (w->ended)
			continue;
		main_waits |= w->tid == w->pid && w->role && !strcmp(w->role, "blocking");
		workers &= worker_by_role(w);
	}
	return (main_waits && alone) || workers;
}

size_t judge_standstill(const struct ctt_judge *j)
{
	const struct ctt_coro *c;
	size_t count = 0;

	if (j->born_before || !no_thread_acts(j))
		return 0;
	for (size_t i = 0; i < j->count; i++)
		if (j->findings[i].certainty == CTT_PROVEN ||
			j->findings[i].certainty == CTT_SUSPECTED)
			return 0;	/* that is said */
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		if (!c->system && !stands(j, c))
			return 0;
		count += !c->system && !is_torn_down(j, c);
	}
	return count;
}

void standstill_note(struct ctt_judge *j, const struct ctt_event *ev, const struct object *o)
{
	/* where levels are reported these say who did it: a wake without may be the operation's own, done at once */
	j->plain_woke |= !ev->by && o && INNER >> o->kind & 1 && !(is_channel(o) && o->levels);
}
