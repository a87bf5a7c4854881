/* hist.h - a histogram of times with log buckets: 32 to each doubling, so memory is that of the
 * doublings met. */
#ifndef SCHED_HIST_H
#define SCHED_HIST_H

#include <stdint.h>
#include <stdio.h>

enum { HIST_SUB = 32, HIST_OCTAVES = 60 };
struct hist {			/* begins as zero */
	uint64_t count, max;
	/* [0]: 0 to 31; [k]: from 2^(k+4) to twice that, in 32 parts */
	uint64_t *octave[HIST_OCTAVES];
};
void hist_add(struct hist *, uint64_t v);
/* The value that `share` (0 to 1) of all do not exceed: the middle of its bucket, at most 1/64 off;
 * 0 of none. */
uint64_t hist_quantile(const struct hist *, double share);
/* Lines "[16.4us, 32.8us) 12 |@@@@ |", one a doubling, from the first that is not empty to the
 * last. */
void hist_text(FILE *, const struct hist *);
/* {"count":12,"p50":1,"p99":2,"max":3,"histogram":[[from,to,count],...]}; to is exclusive. */
void hist_json(FILE *, const struct hist *);
void hist_free(struct hist *);
#endif
