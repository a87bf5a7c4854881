/* gone.h - coroutines that were destroyed where they waited. */
#ifndef JUDGE_GONE_H
#define JUDGE_GONE_H

#include "judge/evidence.h"

/* The copy's texts are its own. */
enum { GONE = 256, RING = 64 };
struct gone {
	struct ctt_coro c;
	struct evidence e;
	/* acquired: the lock that it waited for, by the next of its ring */
	struct ctt_fact end, acquired;
	uint64_t on_pid, since;		/* of a ring: when it closed */
	/* of a ring: it ended by a release of this one's, in that turn of a thread; 0: by a destroy */
	uint64_t releaser;
	struct turn { uint64_t tid, by, since; } released_in;
	/* that one was destroyed where it waited, in the same turn; another of the ring went on */
	bool destroyed, at_once, went_on;
	/* the first of a ring, which lists the others */
	bool ring;
	uint64_t next[RING];
	uint32_t nexts;
};

/* it ends: see whether a verdict is about it */
void gone_note(struct ctt_judge *, struct ctt_coro *, const struct ctt_event *);
/* a release line, before it is applied */
void gone_release(struct ctt_judge *, const struct ctt_event *);
/* of a ring's, as it was then */
const struct ctt_coro *gone_coro(const struct ctt_judge *, uint64_t id);
void judge_gone(struct ctt_judge *);
void gone_free(struct ctt_judge *);
#endif
