/* facts.h - lines of the trace as evidence. */
#ifndef JUDGE_FACTS_H
#define JUDGE_FACTS_H

#include "judge/evidence.h"

struct ended { uint64_t id; struct ctt_fact fact; };
/* recently ended coroutines, newest of each hash: what was awaited too late */
enum { ENDED = 1 << 14 };

struct evidence *evidence_of(struct ctt_coro *);	/* made when not there */
/* its end; NULL: it lives, or that is forgotten */
const struct ctt_fact *judge_ended(const struct ctt_judge *, uint64_t id);
struct ended *ended_slot(struct ctt_judge *, uint64_t id);	/* where it is remembered */
struct ctt_fact fact_of(const struct ctt_event *, const char *what);
struct ctt_fact suspend_fact(const struct ctt_coro *);
void add_fact(struct ctt_finding *, struct ctt_fact);
/* time, the network and the kernel */
bool comes_from_outside(const struct ctt_on *);
/* alive, or kept for a finding; else NULL */
const struct ctt_coro *judge_coro_of(const struct ctt_judge *, uint64_t id);
/* What to do about a deadlock whose members wait for these kinds of things, by bit; NULL: what the verdict
 * says. */
const char *deadlock_help(uint32_t kinds);
#endif
