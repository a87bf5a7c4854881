/* look.c - while judging: what the threads that could run a coroutine have done. Contracts in look.h. */
#include <stdlib.h>

#include "judge/judge.h"
#include "judge/look.h"

/* Until when did its last park last? A program that ends in good order ends its workers' sleep. */
static uint64_t slept_until(const struct look *l, const struct ctt_worker *w)
{
	return w->parked ? l->end : w->parked_until;
}

static bool slept_for_the_grace(
	const struct ctt_judge *j, const struct look *l, const struct ctt_worker *w)
{
	uint64_t until = slept_until(l, w);

	return until > w->parked_since && until - w->parked_since >= j->grace;
}

static bool is_full(const struct ctt_worker *w)
{
	return w->depth != UINT64_MAX && w->depth > 0;
}

/* The first wake behind which it has not: see found_nothing and sleeps in look.h. */
static uint64_t found_nothing_before(
	const struct ctt_judge *j, const struct look *l, const struct ctt_worker *w)
{
	if (is_full(w))
		return 0;
	if (slept_for_the_grace(j, l, w) || !j->grace)
		return w->parked_since;
	return w->parked_since >= j->grace ? w->parked_since - j->grace + 1 : 0;
}

static uint64_t sleeps_before(
	const struct ctt_judge *j, const struct look *l, const struct ctt_worker *w)
{
	uint64_t until = slept_until(l, w);

	if (!w->parks || (!w->parked && w->ran >= until) || !slept_for_the_grace(j, l, w))
		return 0;
	return j->grace ? until - j->grace + 1 : until;
}

static uint64_t less(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t more(uint64_t a, uint64_t b) { return a > b ? a : b; }

static bool add(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *look)
{
	const struct thread *t = keyed_find(&j->threads, w->tid);
	const struct ctt_coro *r = worker_keeper(j, w);
	struct look *l = look;
	bool inside = r && settled(j, r, r->since);
	uint64_t nothing = found_nothing_before(j, l, w), sleeps = sleeps_before(j, l, w);

	(void)c;
	l->any = true;
	l->parks |= w->parks;
	l->full |= is_full(w);
	l->ran |= w->ran != 0;
	l->depth_known &= w->depth != UINT64_MAX;
	l->inside &= inside;
	l->begins_none &= !(t && t->begins);
	l->busy &= r != NULL;
	if (r)
		l->busy_since = more(l->busy_since, r->since);
	if (r)
		l->first_busy = less(l->first_busy, r->since);
	else if (w->ran && w->last_ts + j->grace > l->end)
		l->first_busy = less(l->first_busy, w->ran);
	l->first_seen = less(l->first_seen, w->last_ts);
	l->last_seen = more(l->last_seen, w->last_ts);
	if (w->park_line)
		l->oldest_park = less(l->oldest_park, w->parked_since);
	if (!is_full(w))
		l->in_vain = more(l->in_vain, w->parked_since);
	l->found_nothing = less(l->found_nothing, nothing);
	l->sleeps = less(l->sleeps, sleeps);
	l->idle = less(l->idle, more(nothing, sleeps));
	l->idle_or_inside = less(l->idle_or_inside, inside ? UINT64_MAX : more(nothing, sleeps));
	return true;
}

/* Before any is added: what is true of each of none, and the latest of times that only get earlier. */
static struct look begin(uint64_t pid, uint64_t end)
{
	return (struct look){ .pid = pid, .end = end,
		.depth_known = true, .inside = true, .begins_none = true, .busy = true,
		.first_busy = UINT64_MAX, .first_seen = UINT64_MAX, .oldest_park = UINT64_MAX,
		.found_nothing = UINT64_MAX, .sleeps = UINT64_MAX, .idle = UINT64_MAX,
		.idle_or_inside = UINT64_MAX };
}

/* Of all workers of c's process, or of all processes where it is not known: walked over when first asked for. */
static struct look shared(struct ctt_judge *j, const struct ctt_coro *c, uint64_t pid)
{
	uint32_t *at = &process_of(j, c->tid)->now.look[pid != 0];
	uint64_t end = end_for(j, c);
	struct look *l;

	if (!*at) {
		(void)ADD(j->look, j->looks, j->look_room);
		*at = (uint32_t)j->looks;
	} else if (j->look[*at - 1].pid == pid && j->look[*at - 1].end == end) {
		return j->look[*at - 1];
	}
	l = &j->look[*at - 1];
	*l = begin(pid, end);
	each_candidate(j, c, add, l);
	return *l;
}

static struct look look_at(struct ctt_judge *j, const struct ctt_coro *c, bool last_too)
{
	const struct ctt_worker *mine = worker_of(j, c);
	struct look l = shared(j, c, mine ? mine->pid : 0);

	if (last_too && mine && !worker_is_candidate(j, mine) && !worker_left(j, c, mine))
		add(j, c, mine, &l);
	return l.any ? l :
		       (struct look){ .first_busy = UINT64_MAX, .oldest_park = UINT64_MAX };
}

struct look look_at_workers(struct ctt_judge *j, const struct ctt_coro *c)
{
	return look_at(j, c, true);
}

struct look look_at_candidates(struct ctt_judge *j, const struct ctt_coro *c)
{
	return look_at(j, c, false);
}

void looks_forget(struct ctt_judge *j)
{
	free(j->look);
	j->look = NULL;
	j->looks = j->look_room = 0;
}
