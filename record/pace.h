/* pace.h - how the thread that reads shares a machine that is busy (pace.c). */
#ifndef PACE_H
#define PACE_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread from here on before all others of ordinary programs, which those it starts do
 * not inherit: SCHED_FIFO. False: that is not permitted, and has been reported. */
bool pace_realtime(void);

/* In a child that is to execute the program: what such a one inherits all the same is as it was. */
void pace_forked(void);

/* Stations of version 1 are eight events deep, and were looked at just now; `events` came, and
 * `lost` were lost in all. How long to sleep before the next look, in ns; 0: not at all. */
uint64_t pace_nap(uint64_t now, uint64_t events, uint64_t lost);
/* errno of what kept the thread from a lower nice value on a busy machine; 0: nothing. */
enum { PACE_NICE = -10 };
int pace_denied(void);
/* How often they may be looked at in a row while they bring something. */
unsigned pace_turns(void);

#endif
