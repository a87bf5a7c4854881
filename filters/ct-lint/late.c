/* late.c - wakes of coroutines that have ended: who calls them holds on to what is freed. Contracts
 * in lint.h. */
#include <stdlib.h>

#include "lint.h"

/* Remembered are the latest of each hash: it can only cost a finding. */
enum { ENDED = 1 << 14 };
struct ended { uint64_t id, ts, tid, line; };

static struct ended *slot(struct ended *ended, uint64_t id)
{
	id *= 0x9E3779B97F4A7C15ull;
	return &ended[(id ^ id >> 32) & (ENDED - 1)];
}

void late_end(struct late *l, const struct ctt_coro *c, const struct ctt_event *ev)
{
	if (!l->ended)
		l->ended = need(calloc(ENDED, sizeof(*l->ended)));
	*slot(l->ended, c->id) = (struct ended){ c->id, ev->ts, ev->tid, ev->line };
}

uint64_t late_wake(const struct late *l, const struct ctt_event *ev, uint64_t *after)
{
	const struct ended *end = l->ended ? slot(l->ended, ev->probe_id) : NULL;

	/* closer than the clocks can tell, on two threads, it may have been the other way round */
	if (!end || end->id != ev->probe_id || ev->ts <= end->ts ||
		(ev->tid != end->tid && ev->ts - end->ts < CTT_JUDGE_CLOSE_NS))
		return 0;
	*after = ev->ts - end->ts;
	return end->line;
}

void late_free(struct late *l)
{
	free(l->ended);
}
