/* untold.h - who waits so that nobody can say how it ends. Inside the library only. */
#ifndef JUDGE_UNTOLD_H
#define JUDGE_UNTOLD_H

#include "judge/facts.h"

/* How they wait; what comes first is named. */
enum way {
	UNTRACED, CLOSED, TORN, DOUBTED, UNTOLD, OWED, OWN_LOCK, AGAIN, SHORT, KIDS,
	ROOMS, PERMITS, EVENTS, ITEMS, STANDSTILL, UNSERVED, POLLS, FULL,
	WAYS
};
/* Notes, where it is so, that c waits that way; returns 1 then. */
static inline size_t untold_mark(struct ctt_coro *c, enum way w, bool so)
{
	if (so)
		evidence_of(c)->untold |= 1u << w;
	return so;
}
/* How many wait so, and in which way; NULL: nobody. Who does is what ctt_judge_doubted lists. */
const char *untold_waits(struct ctt_judge *);
#endif
