/* weigh.c - what of a pattern's certainty is left: is its cause old enough, can the clocks tell the
 * order, could what is missing overturn it? Contracts in verdict.h. */
#include <stdlib.h>

#include "judge/judge.h"

/* Is what was seen of a thing that it, or its cycle, waits for forgotten? That it was closed says all. */
static bool is_forgotten(struct ctt_judge *j, const struct ctt_finding *f)
{
	const struct evidence *e = f->coro->evidence;

	if (!j->swept || f->verdict == CTT_V_CLOSED_RESOURCE)
		return false;
	for (uint32_t i = 0; i < f->cycle_count; i++) {
		const struct ctt_coro *c = judge_coro_of(j, f->cycle[i]);

		if (c && c->evidence && object_forgotten(c->evidence))
			return true;
	}
	return e && object_forgotten(e);
}

/* Could something that is missing hide the resume or the wake that overturns it? */
static const char *hidden(
	struct ctt_judge *j, const struct ctt_finding *f, enum ctt_certainty *left)
{
	uint64_t from = f->verdict == CTT_V_LOST_WAKER ? f->coro->first_ts : f->oldest;
	const char *lost;

	/* Awaited too late: an early wake that is missing would make it a missed one. */
	if (f->verdict == CTT_V_DEAD_AWAITEE && f->cause.ts < f->coro->last_ts &&
		f->coro->resumed < from)
		from = f->coro->resumed;
	/* That it still waits there is said by its state; what is missing may hide a wake behind
	 * the close only. */
	if (f->verdict == CTT_V_CLOSED_RESOURCE && f->coro->confirmed &&
		f->cause.ts > f->coro->last_ts)
		from = f->cause.ts;
	*left = CTT_UNKNOWN;
	if (!j->run->ended && !j->run->v1)
		return "the trace was cut: its resume may have come after that";
	if (ctt_trace_headless(j->run))
		return "the line is missing that says how it was recorded, or how it stood then";
	if (j->run->cut)
		return "a filter left lines out: its resume may be among them";
	if (j->dropped_until && j->dropped_until >= from)
		return "too many events came while no worker ran to keep them, and workers ran again after that";
	lost = losses_touch(j, f, from, left);
	if (lost || !is_forgotten(j, f))
		return lost;
	*left = CTT_SUSPECTED;
	return "so many things were waited for that what was seen of this one before may be forgotten";
}

/* Of a process that was dead when its box was read nobody knows how long it lived after its last
 * event. Where all its workers slept, whoever brought the cause about since then, and found nothing
 * to do, nothing was under way any more; but another thread may have been about to bring it. */
static bool died_at_rest(struct ctt_judge *j, const struct ctt_finding *f, uint64_t cause)
{
	const struct ctt_worker *mine = ctt_model_worker(j->model, f->coro->tid), *w;
	bool any = false;

	for (size_t i = 0; j->model->dead && (w = ctt_model_next_worker(j->model, &i));) {
		bool part = w->parks || worker_by_role(w) ||
			(f->cause.line && w->tid == f->cause.tid);

		if (!part || w->ended || (mine && mine->pid && w->pid && w->pid != mine->pid))
			continue;
		if (!w->parked || (w->tid == f->cause.tid && w->parked_since <= cause) ||
			(w->depth != UINT64_MAX && w->depth > 0))
			return false;
		any = true;
	}
	return any;
}

static int by_turn(const void *a, const void *b)
{
	const struct rouse *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

/* The last wakes of those who have yet to run, or run; of a thread whose turns are not told nobody knows. */
static void list_roused(struct ctt_judge *j)
{
	const struct ctt_coro *c;
	size_t room = 0;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		const struct evidence *e = c->evidence;

		if (e && e->rouse.turn &&
			(c->state == CTT_CORO_RUNNABLE || c->state == CTT_CORO_RUNNING))
			*ADD(j->roused, j->roused_count, room) = e->rouse;
	}
	if (j->roused_count)
		qsort(j->roused, j->roused_count, sizeof(*j->roused), by_turn);
	j->roused_known = true;
}

void weigh_forget(struct ctt_judge *j)
{
	free(j->roused);
	j->roused = NULL;
	j->roused_count = 0;
	j->roused_known = false;
}

/* The turns of a thread follow one another: the last that began by then is that of the cause. */
static bool woke_another(struct ctt_judge *j, const struct ctt_fact *cause)
{
	struct rouse least = { cause->tid, cause->ts, UINT64_MAX };
	size_t lo = 0, hi;

	if (!j->roused_known)
		list_roused(j);
	for (hi = j->roused_count; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_turn(&j->roused[mid], &least) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && j->roused[lo - 1].tid == cause->tid && j->roused[lo - 1].ts >= cause->ts;
}

/* May the wake come yet, from who brought the cause about: at the end of the run in which it did, or by
 * one whom it left that to? NULL: no. */
static const char *under_way(struct ctt_judge *j, const struct ctt_finding *f)
{
	const struct ctt_worker *w = f->cause.tid ? ctt_model_worker(j->model, f->cause.tid) : NULL;
	const struct ctt_coro *runs = w ? ctt_model_coro(j->model, w->running) : NULL;

	if (!f->cause.line || !w || !verdict_of(f->verdict)->may_follow)
		return NULL;
	if (runs && runs->state == CTT_CORO_RUNNING && runs->resumed == w->ran &&
		in_turn_since(j, w->tid, f->cause.ts))
		return "the run in which that came about goes on, and may wake them at its end";
	return woke_another(j, &f->cause) ?
		"one that was woken in that turn has yet to run, or runs, and may wake them" :
		NULL;
}

/* Is the cause old enough, and which certainty is left of it? False: too fresh to say anything. */
bool weigh(struct ctt_judge *j, struct ctt_finding *f)
{
	const struct ctt_coro *c = f->coro;
	uint64_t cause = f->cause.ts > c->last_ts ? f->cause.ts : c->last_ts;
	enum ctt_certainty left;
	const char *yet;
	uint64_t apart =
		f->cause.ts > c->last_ts ? f->cause.ts - c->last_ts : c->last_ts - f->cause.ts;
	bool rest = f->certainty != CTT_HINT && !settled(j, c, cause) && died_at_rest(j, f, cause);
	/* Seen once, while it ran: the members of a cycle may each have waited at another moment. */
	bool torn = j->model->torn && f->verdict == CTT_V_DEADLOCK;
	bool once = torn && !settled(j, c, cause);

	if (f->verdict == CTT_V_SILENT && !j->run->cut)
		return (j->run->v1 && !j->run->ended) || settled(j, c, c->last_ts);
	/* Who waits in a cycle in a snapshot, or whom nothing there could wake, does so whenever
	 * that began. */
	if (!rest && !settled(j, c, cause) &&
		!(c->since_before &&
			(f->verdict == CTT_V_LOST_WAKER || f->verdict == CTT_V_DEADLOCK ||
				(f->verdict == CTT_V_DEAD_AWAITEE && c->no_refs))))
		return false;
	f->close = f->cause.line && f->cause.tid && f->cause.tid != c->tid &&
		apart < CTT_JUDGE_CLOSE_NS && verdict_of(f->verdict)->order_matters;
	if (f->close && f->certainty == CTT_PROVEN)
		f->certainty = CTT_SUSPECTED;
	f->unknown = f->certainty == CTT_HINT ? NULL : hidden(j, f, &left);
	if (f->unknown && left > f->certainty)
		f->certainty = left;
	if (f->certainty < CTT_UNKNOWN && (yet = under_way(j, f))) {
		f->certainty = CTT_UNKNOWN;
		f->unknown = yet;
	}
	if ((rest || once) && f->certainty == CTT_PROVEN)
		f->certainty = CTT_SUSPECTED;
	if (torn && f->certainty != CTT_PROVEN && !f->unknown)
		f->unknown = once ?
			"it ran while it was looked at: a second look would show whether they still wait" :
			"it ran while it was looked at: each may have waited at another moment";
	if (rest && !f->unknown)
		f->unknown = "nobody knows how long the program lived after that";
	return true;
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	while (*s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3ull;
	return h;
}

void add_finding(struct ctt_judge *j, struct ctt_finding *f)
{
	const struct ctt_site *s = ctt_model_site(j->model, f->coro->site);

	if (f->coro->untraced || !weigh(j, f)) {
		j->fresh += !f->coro->untraced;	/* a deadlock's: others were weighed before */
		free(f->cycle);
		return;
	}
	f->id = hash_text(
		hash_text(hash_text(0xcbf29ce484222325ull, ctt_verdict_name(f->verdict)), s->func),
		s->file);
	f->id = hash64(hash64(f->id ^ s->line) + f->coro->id);
	f->since = f->coro->since;
	f->age_ns = f->gone_ts ? f->gone_ts - (f->since < f->gone_ts ? f->since : f->gone_ts) :
				 age_of(j, f->coro);
	*ADD(j->findings, j->count, j->room) = *f;
}
