/* sched.h - what ct-sched keeps of a run, and how it is printed (print.c). */
#ifndef SCHED_H
#define SCHED_H

#include "fold/hist.h"
#include "fold/spans.h"

struct stats {			/* of a site, a thread, or the run */
	struct pair key;	/*/* site: its number; thread: its tid */
	bool chosen;		/*/* site: --site matches */
	/* woken: wakes of coroutines there; thread: wakes from there */
	uint64_t resumes, migrated, suspends, woken;
	uint64_t time[DOINGS];
	uint64_t parks, parked, parked_since;	/* thread: times and ns it slept; 0 = awake */
	struct hist delay;	/* from runnable to running */
};

/* key: index of its waker, site of the woken */
struct wakes { struct pair key; uint64_t count; };
/* Who wakes: key.a is the site of the waking coroutine (by), or a thread; key.b the site of the
 * wake itself. */
enum { BY_THREAD, BY_CORO };
struct waker { struct pair key; };

struct sched {			/* a run */
	struct spans spans;
	struct table sites, threads, wakers[2], wakes[2];	/* the latter by BY_* */
	struct stats all;
	uint64_t from, to;	/* of --from and --to; 0 and UINT64_MAX */
	uint64_t stray;		/* wakes of coroutines that are not live */
};

struct sched_view { const struct ctt_common *opt; uint64_t top; bool histograms; uint32_t run; };
/* Print one run; `run` from 1, 0 = the only one. `seen` is the time looked at, `doubt` what is
 * missing, or NULL. */
void sched_print(struct sched *, const struct sched_view *, uint64_t seen, const char *doubt);
#endif
