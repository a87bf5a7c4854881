/* look.h - while judging: what the threads that could run a coroutine have done, of all of them in one
 * walk a process: who waits to run may be many, and so may they. */
#ifndef JUDGE_LOOK_H
#define JUDGE_LOOK_H

#include "judge/workers.h"

struct look {
	uint64_t pid, end;		/* whose workers, 0: of all processes; the coroutine's T */
	bool any;			/* is there one? Without, all else is false, 0, none */
	bool parks;			/* one says when it parks */
	bool full;			/* one saw work in its queue as it went to park */
	bool ran;			/* one ran a coroutine */
	bool depth_known;		/* each says how much is in its queue */
	bool inside;			/* each runs one coroutine, for the grace */
	bool begins_none;		/* each leaves to others what never ran */
	bool busy;			/* each runs something, the last of them since: */
	uint64_t busy_since;
	/* when the first began what it runs, or did until a moment ago; UINT64_MAX: none does */
	uint64_t first_busy;
	uint64_t first_seen, last_seen;	/* of the times when each was seen last */
	uint64_t oldest_park;		/* UINT64_MAX: no line tells of one */
	/* one went to park behind a wake, and had an empty queue, where the wake came before: */
	uint64_t in_vain;
	/* where the wake came before, each has looked for work behind it, found none, and either looked again
	 * after the grace or slept for it; */
	uint64_t found_nothing;
	/* slept for the grace behind it, and ran nothing from then on: one that got up to work was told, and
	 * was only waiting for a processor; */
	uint64_t sleeps;
	/* one of the two; one of these, or it is inside a coroutine */
	uint64_t idle, idle_or_inside;
};

/* Of those that could run c, and of the one that ran it last, though it may be none of these. */
struct look look_at_workers(struct ctt_judge *, const struct ctt_coro *c);
/* Of those that could run c. */
struct look look_at_candidates(struct ctt_judge *, const struct ctt_coro *c);
void looks_forget(struct ctt_judge *);		/* before judging anew */
#endif
