/* runs.c - several recordings in one file: a meta line begins one; version 1 lines are
 * distinguished by their threads. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sum.h"
#include "read/runs.h"

#define MINUTE 60000000000ull
enum { RUNS_OPEN = 64 };

static struct ctt_trace_run *run_new(struct runs *r)
{
	if (r->count == RUNS_MAX)
		return NULL;
	r->current = r->count;
	*ADD(r->run, r->count, r->room) = (struct ctt_trace_run){ .bad = r->bad, .file = r->file };
	r->bad = 0;
	return &r->run[r->current];
}

static bool near(const struct ctt_trace_run *run, uint64_t ts)
{
	/* One without a time holds a cut line and nothing else. */
	return !run->first_ts ||
		(ts + MINUTE >= run->first_ts &&
			(ts <= run->last_ts || ts - run->last_ts <= MINUTE));
}

/* The run of a version 1 line that no meta line covers: its thread's; of a new thread the latest
 * that it may belong to. Of the last few: those before have long ended, and a file of very many
 * runs would cost each thread a walk through all of them. */
static bool find_v1_run(struct runs *r, const struct ctt_event *ev)
{
	uint32_t i = (uint32_t)(uintptr_t)hash_find(&r->threads, ev->tid);	/* its run + 1 */
	uint32_t last = r->count > RUNS_OPEN ? r->count - RUNS_OPEN : 0;

	if (!i) {
		i = r->count;
		while (i > last && !(r->run[i - 1].v1 && near(&r->run[i - 1], ev->ts)))
			i--;
		if (i == last) {
			if (!run_new(r))
				return false;
			r->run[r->current].v1 = true;
			i = r->count;
		}
		hash_add(&r->threads, ev->tid, (void *)(uintptr_t)i);
	}
	r->current = i - 1;
	r->last_tid = ev->tid;
	return true;
}

/* Is the line one that begins another run, or may go elsewhere than the line before? */
static bool choose(struct runs *r, const struct ctt_event *ev)
{
	const struct ctt_trace_run *run = r->count ? &r->run[r->current] : NULL;

	if (ev->kind == CTT_EV_META)
		return !run || run->lines ? run_new(r) != NULL : true;
	if (ev->v1 && (!run || run->v1 || run->ended))
		return ev->tid == r->last_tid && run && run->v1 ? true : find_v1_run(r, ev);
	return !run || run->ended ? run_new(r) != NULL : true;
}

static void account(struct ctt_trace_run *run, const struct ctt_event *ev)
{
	static const uint64_t outside = CTT_KIND(UNKNOWN) | CTT_KIND(META) |
		CTT_KIND(EXIT) | CTT_KIND(SYNC) | CTT_KIND(END) | CTT_KIND(CUT) |
		CTT_KIND(SYMBOL);

	run->lines++;
	run->coroutines |= is_coro_line(ev->kind);
	run->attached |= !(outside >> ev->kind & 1);
	if (ev->kind == CTT_EV_META) {
		run->late = ev->meta.attached;
		run->born_before = ev->meta.born_before;
		run->partial = ev->meta.partial;
	}
	run->attach_seen |= ev->kind == CTT_EV_ATTACH;
	if (ev->ts && (!run->late || (run->attach_seen && ev->kind != CTT_EV_STATE))) {
		if (ev->ts > run->last_ts)
			run->last_ts = ev->ts;
		if (ev->ts < run->first_ts || !run->first_ts)
			run->first_ts = ev->ts;
	}
	if (ev->kind == CTT_EV_LOST)
		run->lost = sum(run->lost, ev->lost.count);
}

/* A cut line. Behind a meta line it is of that run; else of version 1 runs, which have no line that
 * begins them, until a line shows another kind. The same filter reports its count at the end: 0
 * takes back what it said first. Behind the end a count is of what the filter found there. */
static bool apply_cut(struct runs *r, struct ctt_event *ev)
{
	bool declares = !(ev->has & CTT_HAS_VALUE);
	struct ctt_trace_run *run = r->count ? &r->run[r->current] : run_new(r);

	if (!run)
		return false;
	run->v1 |= !run->lines;
	run->lines++;
	ev->run = r->current;
	if (run->v1 || (run->ended && declares))
		r->cut_v1 += declares;
	else if (declares || (run->ended && ev->cut.count))
		run->cut++;
	else if (!run->ended && !ev->cut.count && run->cut)
		run->cut--;
	ev->cut.stands = runs_get(r, r->current)->cut;
	return true;
}

const struct ctt_trace_run *runs_get(struct runs *r, uint32_t run)
{
	if (r->run[run].v1)
		r->run[run].cut = r->cut_v1;
	return &r->run[run];
}

bool runs_apply_any(struct runs *r, struct ctt_event *ev)
{
	struct ctt_trace_run *run;

	if (ev->kind == CTT_EV_CUT)
		return apply_cut(r, ev);
	if (!choose(r, ev))
		return false;
	run = &r->run[r->current];
	account(run, ev);
	if (!ev->v1) {
		runs_get(r, r->current);	/* as it was of version 1 */
		run->v1 = false;
		run->meta |= ev->kind == CTT_EV_META;
		run->ended |= ev->kind == CTT_EV_END;
	}
	r->plain = NULL;
	if (run->meta && run->coroutines && !run->ended && (!run->late || run->attach_seen))
		r->plain = run;
	ev->run = r->current;
	return true;
}

const char *ctt_trace_nothing(const struct ctt_trace_run *run)
{
	if (run->coroutines || run->cut || run->bad)
		return NULL;
	return run->attached ? "nothing was recorded: no coroutine was seen" :
			       "nothing was recorded: no probe attached";
}

const char *ctt_trace_headless(const struct ctt_trace_run *run)
{
	if (!run->meta && !run->v1)
		return "its meta line is missing";
	return run->late && !run->attach_seen && run->coroutines ? "its attach line is missing" : NULL;
}

void runs_bad(struct runs *r)
{
	if (r->count)
		r->run[r->current].bad++;
	else
		r->bad++;
}

void runs_free(struct runs *r)
{
	free(r->run);
	hash_free(&r->threads);
}
