/* totals.h - what was printed, and what was lost, so far. */
#ifndef TOTALS_H
#define TOTALS_H

#include <stdint.h>
#include "ctp.h"

struct totals {
	uint64_t events, lost, states;
	uint64_t lines[CTP_KINDS], sites;	/* printed, by kind; site lines */
	uint64_t v1;		/* lines of version 1 stations */
	uint64_t overwritten;	/* of lost: in a version 1 station, before it was read */
	uint64_t before;	/* of lost: what a box had overwritten before we came */
	uint64_t impossible;	/* records that cannot be true */
	uint64_t unreadable;	/* strings, sites and call stacks that cannot */
	uint64_t stacks;	/* printed */
	uint64_t unconnected;	/* processes that wrote without a connection */
	/* as the writers counted; known at the end */
	uint64_t no_ring, no_station, no_string, no_stack, no_v1_station;
};
extern struct totals totals;

#endif
