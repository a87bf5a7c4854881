/* sched.h - how coroutines were scheduled: sums over what each did from when to when (ct-sched's
 * spans). What lies between lines that are missing is left out. */
#ifndef REPORT_SCHED_H
#define REPORT_SCHED_H

#include "fold/hist.h"
#include "fold/spans.h"

/* by site; of a thread, by tid: resumes and running only; of the run */
struct sched_row {
	struct pair key;
	uint64_t resumes, time[DOINGS];
	struct hist delay;	/* from runnable to running */
};
struct sched_sum {
	struct spans spans;
	struct sched_row all;
	uint64_t migrated;	/* resumes on another thread than before */
	struct table sites, threads;
};
void sched_start(struct sched_sum *, struct ctt_model *);
/* At the end of the run, after spans_before and spans_after of each event. */
void sched_finish(struct sched_sum *, const struct ctt_trace_run *);
/* All of them: sites by the time lost as runnable, threads by tid. To be called last. */
struct sched_row *sched_sites(struct sched_sum *, size_t *n);
struct sched_row *sched_threads(struct sched_sum *, size_t *n);
void sched_stop(struct sched_sum *);
#endif
