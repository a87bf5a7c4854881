/* late.h - wakes of coroutines that had ended. */
#ifndef JUDGE_LATE_H
#define JUDGE_LATE_H

#include "judge/facts.h"

/* Those from one site: the first of them, and how many. */
struct late_wake {
	uint64_t site, count;
	struct ctt_coro c;
	struct ctt_fact end, wake;
};
/* a wake whose coroutine does not live */
void late_note(struct ctt_judge *, const struct ctt_event *);
void judge_late(struct ctt_judge *);
#endif
