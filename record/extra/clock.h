/* clock.h - the writers' ticks to CLOCK_MONOTONIC ns, by one function that never falls. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "ctp.h"

bool clock_init(void);			/* false: CLOCK_MONOTONIC stands still */
bool clock_is_tsc(void);
uint64_t clock_ns(void);		/* CLOCK_MONOTONIC */
uint64_t clock_ticks(void);		/* what a writer would read now */
/* the same, and up to there clock_to_ns() knows of any sleep of the machine */
uint64_t clock_cut(void);
/* ns that it slept, as found by clock_cut() since the last call */
uint64_t clock_slept(void);
uint64_t clock_to_ns(uint64_t ticks);
uint64_t clock_from_ns(uint64_t ns_span);	/* a span */
/* The writers' clock is that of a box's header; now: of this boot, so that our own clock counts
 * on. */
void clock_use(const struct ctp_header *, bool now);
void clock_tick(void);			/* call now and then: follows CLOCK_MONOTONIC's slewing */

#endif
