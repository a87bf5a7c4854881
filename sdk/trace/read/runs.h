/* runs.h - which recording a line belongs to, for trace.c. */
#ifndef CTTRACE_RUNS_H
#define CTTRACE_RUNS_H

#include "base/hash.h"
#include "read/internal.h"

enum { RUNS_MAX = 1 << 16 };	/* each takes some kilobytes of whoever reads them */
struct runs {
	struct ctt_trace_run *run;
	uint32_t count;
	size_t room;
	uint32_t current;	/* of the latest line */
	/* the current one, where it has its meta line, a coroutine, and no end yet; else NULL */
	struct ctt_trace_run *plain;
	uint64_t last_tid;	/* version 1: whose run `current` is; 0 = not known */
	struct hash threads;	/* version 1, without meta: by tid, run + 1 */
	uint64_t bad;		/* bad lines before the first run */
	const char *file;	/* that is read */
	/* filters that say they left lines of version 1 runs out: of all, for nobody can say of which */
	uint32_t cut_v1;
};

bool runs_apply_any(struct runs *, struct ctt_event *ev);
/* The run of *ev into ev->run, and the line into its account. False: RUNS_MAX are there already. */
static inline bool runs_apply(struct runs *r, struct ctt_event *ev)
{
	struct ctt_trace_run *run = r->plain;

	/* What nearly all lines are: more of a run that a meta line began. */
	if (!run || ev->ts < run->first_ts || ev->kind >= CTT_EV_META)
		return runs_apply_any(r, ev);
	run->lines++;
	run->last_ts = ev->ts > run->last_ts ? ev->ts : run->last_ts;
	ev->run = r->current;
	return true;
}
/* What is known of one that is there; valid until the next line. */
const struct ctt_trace_run *runs_get(struct runs *, uint32_t run);
/* A bad line belongs to the run of the line before it. */
void runs_bad(struct runs *);
void runs_free(struct runs *);

#endif
