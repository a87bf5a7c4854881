/* full.c - tasks that no thread of a full blocking pool begins: each of these is kept by one that waits for what does not
 * come by itself. Nobody is accused, for what they wait for may come from others than those tasks. Contract in verdict.h. */
#include <string.h>

#include "judge/judge.h"

static bool has_role(const struct ctt_worker *w)
{
	return w && !w->ended && w->role && !strcmp(w->role, "blocking");
}

/* So Rust's probes name what runs on a thread of its own until it ends. */
static bool is_blocking(const struct ctt_coro *c)
{
	return c->name && !strcmp(c->name, "blocking");
}

/* of a wait that may be for a socket, as nobody says for what it is */
enum { LONG_NS = 1000000000 };

/* Does it wait, for the grace, for what does not come by itself? */
static bool stands(struct ctt_judge *j, const struct ctt_coro *c)
{
	bool told = c->legs || c->on.kind != CTT_ON_NONE;

	if (c->state != CTT_CORO_SUSPENDED || (!c->legs && comes_from_outside(&c->on)) ||
		!settled(j, c, c->since + (told ? 0 : LONG_NS)))
		return false;
	for (size_t i = 0; c->legs && i < c->legs->count; i++)
		if (comes_from_outside(&c->legs->leg[i].on))
			return false;
	return true;
}

/* Does the thread's task stand, or sleep in a block_on of which nothing more is told? */
static bool keeps(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, c->tid);

	if (!has_role(w) || c->state != CTT_CORO_RUNNING)
		return has_role(w) && stands(j, c);
	return w->parked && settled(j, c, w->parked_since);
}

/* Is c what one of these tasks polls itself? */
static bool is_polled(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct ctt_coro *task = c->parent ? ctt_model_coro(j->model, c->parent) : NULL;

	return task && is_blocking(task) && task->tid == c->tid && !is_blocking(c);
}

size_t judge_full(struct ctt_judge *j)
{
	struct ctt_coro *c;
	size_t unbegun = 0, kept = 0;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		if (c->system || c->doubted || c->untraced)
			continue;
		if (is_blocking(c) && c->state == CTT_CORO_CREATED)
			unbegun += untold_mark(
				c, FULL, !is_torn_down(j, c) && settled(j, c, c->since));
		else if (is_blocking(c) ? !keeps(j, c) : is_polled(j, c) && !stands(j, c))
			return 0;
		else
			kept += is_blocking(c);
	}
	return kept ? unbegun : 0;
}
