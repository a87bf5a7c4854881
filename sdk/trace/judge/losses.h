/* losses.h - what is missing of a run. */
#ifndef JUDGE_LOSSES_H
#define JUDGE_LOSSES_H

#include "model/state.h"

/* A thread, or a process (0: not known), lost events, the last of them then. */
struct lost_last { uint64_t id, to; };

void losses_line(struct ctt_judge *, const struct ctt_event *);		/* a `lost` line */
/* own events are missing before that one */
void losses_gap(struct ctt_judge *, struct ctt_coro *, const struct ctt_event *);
/* It stops to run, or is said to have stopped (`state`). */
void losses_run(struct ctt_judge *, struct ctt_coro *, const struct ctt_event *);
/* acts somebody of whom no line reported? */
bool losses_context(const struct ctt_judge *);
/* once, before findings are */
void losses_weigh(struct ctt_judge *);
/* Why what is missing since `from` could overturn the finding, and how certain it is still; NULL:
 * it cannot. */
const char *losses_touch(
	struct ctt_judge *, const struct ctt_finding *, uint64_t from, enum ctt_certainty *left);
#endif
