/* deeds.h - what somebody did while it had locks, whereby a guard may have gone to another: kept once, however many it has, and
 * brought to each as it goes or is judged. Inside the library only. */
#ifndef JUDGE_DEEDS_H
#define JUDGE_DEEDS_H

#include <stdbool.h>
#include <stdint.h>

struct ctt_judge;
struct hold;

struct deed {				/* the last of its kind */
	uint64_t value;			/* whom, or over what */
	uint64_t nth;			/* of all deeds; 0: there was none */
	uint64_t other;			/* the last before with another value; 0: none */
};
struct deeds {
	/* over which channel, and to whom: [false] what a lock's guard may go with, [true] an end of a channel */
	struct deed created, woke, over[2], to[2];
	uint64_t seen;			/* holds that only memory showed */
};
struct holder {				/* a coroutine, or a plain thread */
	struct hold *held;		/* what it has, the latest first */
	struct deeds *deeds;		/* NULL: it never had anything */
};

/* It has h now. */
void deeds_take(struct ctt_judge *, struct holder *, struct hold *);
/* Bring to h what its holder did since. */
void deeds_settle(struct ctt_judge *, struct hold *);
/* And it has it no more. */
void deeds_leave(struct hold *);
/* To all that anybody has, before it is judged. */
void deeds_settle_all(struct ctt_judge *);
/* One more of these, the j->deeds-th of all. */
void deeds_note(const struct ctt_judge *, struct deed *last, uint64_t value);
#endif
