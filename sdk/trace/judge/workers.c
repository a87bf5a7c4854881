/* workers.c - while judging: the threads that could run a coroutine, by process. Contracts in
 * workers.h. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

static bool is_worker(const struct ctt_worker *w, bool roles)
{
	return roles ? worker_by_role(w) :
		       w->parks && !(w->role && !strcmp(w->role, "blocking"));
}

/* By process, in order of first sight; then those that are gone, the last to go first. */
static int by_process(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->w->pid != y->w->pid)
		return x->w->pid < y->w->pid ? -1 : 1;
	if (x->gone != y->gone)
		return x->gone - y->gone;
	if (x->gone && x->w->ended != y->w->ended)
		return x->w->ended > y->w->ended ? -1 : 1;
	return x->seen < y->seen ? -1 : x->seen > y->seen;
}

static void list_candidates(struct ctt_judge *j)
{
	struct ctt_worker *w;

	j->candidate = need(calloc(j->model->workers.count + 1, sizeof(*j->candidate)));
	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));)
		j->roles |= is_worker(w, true);
	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));) {
		uint64_t end = w->ended ? latest_end(j, w->pid) : 0;

		if (is_worker(w, j->roles))
			j->candidate[j->candidates++] = (struct candidate){ w, i,
				w->ended && end > w->ended && end - w->ended >= j->grace };
	}
	qsort(j->candidate, j->candidates, sizeof(*j->candidate), by_process);
}

void crew_forget_candidates(struct ctt_judge *j)
{
	free(j->candidate);
	j->candidate = NULL;
	j->candidates = 0;
	j->roles = false;
}

bool worker_is_candidate(const struct ctt_judge *j, const struct ctt_worker *w)
{
	return is_worker(w, j->roles);
}

struct ctt_worker *worker_of(const struct ctt_judge *j, const struct ctt_coro *c)
{
	return c->resumed ? ctt_model_worker(j->model, c->tid) : NULL;
}

/* The first candidate of that process, or of a later one. */
static size_t first_of(const struct ctt_judge *j, uint64_t pid)
{
	size_t lo = 0, hi = j->candidates;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (j->candidate[mid].w->pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct walk {
	const struct ctt_coro *c;
	const struct ctt_worker *mine;	/* the one that ran it last; NULL: it never ran */
	worker_fn *fn;
	void *arg;
	bool any, mine_met;
};

bool worker_left(struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w)
{
	return w->ended && settled(j, c, w->ended);
}

/* Those of one process. False: fn did not want to go on. */
static bool walk_process(struct ctt_judge *j, struct walk *walk, uint64_t pid)
{
	for (size_t i = first_of(j, pid); i < j->candidates && j->candidate[i].w->pid == pid; i++) {
		const struct ctt_worker *w = j->candidate[i].w;

		if (worker_left(j, walk->c, w) && j->candidate[i].gone)
			break;		/* and so have those behind it */
		if (worker_left(j, walk->c, w))
			continue;
		walk->any = true;
		walk->mine_met |= w == walk->mine;
		if (!walk->fn(j, walk->c, w, walk->arg))
			return false;
	}
	return true;
}

static bool walk_all(struct ctt_judge *j, struct walk *walk)
{
	for (size_t i = 0; i < j->candidates; i = first_of(j, j->candidate[i].w->pid + 1)) {
		if (!walk_process(j, walk, j->candidate[i].w->pid))
			return false;
		if (j->candidate[i].w->pid == UINT64_MAX)
			break;
	}
	return true;
}

bool in_turn_since(const struct ctt_judge *j, uint64_t tid, uint64_t ts)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, tid);

	return w && w->ran <= ts && w->parked_until <= ts && !(w->parked && w->parked_since > ts);
}

const struct ctt_coro *worker_keeper(const struct ctt_judge *j, const struct ctt_worker *w)
{
	uint64_t outer = !w->running && w->outers ? w->outer[w->outers - 1] : 0,
		 id = outer ? outer : w->running;
	const struct ctt_coro *c = id ? ctt_model_coro(j->model, id) : NULL;

	return c && (c->state == CTT_CORO_RUNNING || (!outer && w->pinned == c->id)) ? c : NULL;
}

static bool each(
	struct ctt_judge *j, const struct ctt_coro *c, bool last_too, worker_fn *fn, void *arg)
{
	struct walk walk = { .c = c,
		.mine = worker_of(j, c),
		.fn = fn,
		.arg = arg };
	uint64_t pid = walk.mine ? walk.mine->pid : 0;

	if (!j->candidate)
		list_candidates(j);
	if (!(pid ? walk_process(j, &walk, pid) && walk_process(j, &walk, 0) : walk_all(j, &walk)))
		return false;
	if (last_too && walk.mine && !walk.mine_met && !worker_left(j, c, walk.mine)) {
		walk.any = true;
		return fn(j, c, walk.mine, arg);
	}
	return walk.any;
}

bool each_worker(struct ctt_judge *j, const struct ctt_coro *c, worker_fn *fn, void *arg)
{
	return each(j, c, true, fn, arg);
}

bool each_candidate(struct ctt_judge *j, const struct ctt_coro *c, worker_fn *fn, void *arg)
{
	return each(j, c, false, fn, arg);
}
