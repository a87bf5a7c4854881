/* teardown.h - how a process ends, and T for what it left behind. */
#ifndef JUDGE_TEARDOWN_H
#define JUDGE_TEARDOWN_H

#include "judge/crew.h"

/* alive: last seen to be, before that; 0 = not reported */
struct exited { uint64_t pid, ts, alive; };

struct later {				/* an event that was put off */
	enum ctt_ev_kind kind;
	uint32_t has;
	bool done, clone;
	uint64_t probe_id, tid, ts, n, site, by, value, line;
	struct ctt_on on;			/* its text, where it has no number, is a copy */
};

struct process *process_of(struct ctt_judge *, uint64_t tid);
/* T for it: its process may have ended before */
uint64_t end_for(struct ctt_judge *, const struct ctt_coro *);
/* its process, as far as is known; once frames were destroyed, T */
uint64_t lived_until(const struct ctt_judge *, const struct ctt_coro *);
/* the latest T that any coroutine of a process can have */
uint64_t latest_end(struct ctt_judge *, uint64_t pid);
/* since it came into its state, until its process ended */
uint64_t age_of(struct ctt_judge *, const struct ctt_coro *);
/* is ts older than the grace? */
bool settled(struct ctt_judge *, const struct ctt_coro *, uint64_t ts);
/* True: the event comes after its process's workers have stopped, and is put off until they come
 * back. */
bool judge_later(struct ctt_judge *, const struct ctt_event *);
/* Is what was put off to be applied before this event? Then later_next, from *i = 0, gives one event
 * after the other, each valid until the next call, and false behind the last. */
bool later_is_due(struct ctt_judge *, const struct ctt_event *);
bool later_next(struct ctt_judge *, size_t *i, struct ctt_event *);
void process_ended(struct ctt_judge *, const struct ctt_event *);	/* while others may go on */
/* Its frame was destroyed once the workers had stopped: it is judged as it was left, and is not counted among those who wait. */
bool is_torn_down(const struct ctt_judge *, const struct ctt_coro *);
void later_free(struct ctt_judge *);
#endif
