/* workers.h - while judging: the threads that could run a coroutine. */
#ifndef JUDGE_WORKERS_H
#define JUDGE_WORKERS_H

#include <string.h>

#include "model/state.h"

struct candidate {			/* a thread that could run coroutines */
	struct ctt_worker *w;
	size_t seen;			/* in order of first sight */
	bool gone;			/* ended the grace or more before its process */
};

/* It was reported to run coroutines; by a trace without roles nobody is. */
static inline bool worker_by_role(const struct ctt_worker *w)
{
	return w->role && !strcmp(w->role, "worker");
}
/* A coroutine runs there, or one does within which others ran. */
static inline bool worker_runs(const struct ctt_worker *w) { return w->running || w->outers; }
/* All that it has done since then it did in the turn in which it was then: it ran no coroutine anew, nor slept. */
bool in_turn_since(const struct ctt_judge *, uint64_t tid, uint64_t ts);
/* The coroutine that runs there, or that waits and keeps it; NULL: none. */
const struct ctt_coro *worker_keeper(const struct ctt_judge *, const struct ctt_worker *);
/* The one that ran it last; NULL: it never ran, or nothing is known of it. */
struct ctt_worker *worker_of(const struct ctt_judge *, const struct ctt_coro *);
/* It ended while others went on. */
bool worker_left(struct ctt_judge *, const struct ctt_coro *, const struct ctt_worker *);
/* It is one of those of each_candidate(), which was called. */
bool worker_is_candidate(const struct ctt_judge *, const struct ctt_worker *);
/* Call fn with each thread that could run c until it returns false: those with the role, else those
 * that park; in c's process; and the one that ran it last. Not those that ended while others went
 * on. False: one call did, or there are none. */
typedef bool worker_fn(
	struct ctt_judge *, const struct ctt_coro *, const struct ctt_worker *, void *);
bool each_worker(struct ctt_judge *, const struct ctt_coro *, worker_fn *, void *);
/* The same without the one that ran it last, where that has neither role nor parks. */
bool each_candidate(struct ctt_judge *, const struct ctt_coro *, worker_fn *, void *);
void crew_forget_candidates(struct ctt_judge *);	/* before judging anew */
#endif
