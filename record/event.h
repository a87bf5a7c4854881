/* event.h - the lines of events. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include "region.h"

/* A coroutine's own event's number: all of it is in seq. */
static inline uint64_t event_n(const struct ctp_event *e)
{
	return (uint32_t)(e->seq / 2) == e->n ? e->seq / 2 : e->n;
}

/* A version 2 record (a private copy; ts already ns) of that process (0: not known). state: print
 * it as a station's. Counts it when it cannot be true. */
void print_event(
	const struct region *, const struct ctp_event *, uint64_t ts, uint32_t pid, bool state);
/* as its create and name would be */
void print_birth(const struct region *, const struct ctp_birth *, uint64_t ts);
void print_v1(uint64_t id, const struct ctp_event *, uint64_t n);
void print_v1_life(uint64_t id, uint64_t ts, bool born);
/* The last line: how many there were of each kind; all_states: and how many coroutines live. alive:
 * the process is stopped, and went on until then, as far as is known; 0: it is not. */
void print_end(uint64_t ts, bool all_states, uint64_t alive);

#endif
