/* losses.c - what is missing of a run, whom it could touch, and what that leaves of a finding.
 *
 * Own events of coroutines are numbered: a gap says whose they were. Where the gaps are as many as
 * all that was lost, nothing else was: then those without a gap are untouched. Else what a thread
 * lost may be a wake, or a resume, of whoever could be woken then by it; unless a `state` line says
 * that the coroutine's last event is known, it may run since. */
#include "base/sum.h"
#include "judge/judge.h"

static const uint64_t OWN = CTT_KIND(CREATE) | CTT_KIND(RESUME) | CTT_KIND(SUSPEND) |
	CTT_KIND(DESTROY);

void ctt_judge_lost(struct ctt_judge *j, uint64_t from, uint64_t to)
{
	(void)from;	/* only what is later than a wait matters to it */
	if (to > j->lost_to)
		j->lost_to = to;
}

static void lost_own(struct ctt_coro *c, uint64_t to)
{
	struct evidence *e = evidence_of(c);

	if (to > e->lost_to)
		e->lost_to = to;
}

void losses_line(struct ctt_judge *j, const struct ctt_event *ev)
{
	uint64_t to = ev->lost.to ? ev->lost.to : ev->ts ? ev->ts : UINT64_MAX;
	struct ctt_coro *c = ev->probe_id ? ctt_model_coro(j->model, ev->probe_id) : NULL;
	struct lost_last *t;

	if (!ev->lost.count)
		return;
	if (c) {
		lost_own(c, to);
	} else if (!ev->probe_id && ev->tid) {
		t = keyed_get(&j->losses, ev->tid);
		t->to = to > t->to ? to : t->to;
	} else if (!ev->probe_id) {
		ctt_judge_lost(j, ev->lost.from, to);
	}
}

void losses_gap(struct ctt_judge *j, struct ctt_coro *c, const struct ctt_event *ev)
{
	if (c)
		lost_own(c, ev->ts);
	/* nobody knows who created it, and with which guards */
	if (c && !c->created && ev->n > 1)
		j->unborn = true;
}

void losses_run(struct ctt_judge *j, struct ctt_coro *c, const struct ctt_event *ev)
{
	const struct lost_last *t = j->losses.count ? keyed_find(&j->losses, ev->tid) : NULL;
	bool ended = ev->kind == CTT_EV_DESTROY;
	struct evidence *e = evidence_of(c);

	e->stated = ev->kind == CTT_EV_STATE;
	if (e->stated || (ended && ev->has & CTT_HAS_N && ev->n > c->order + 1))
		e->torn = ev->ts;
	else if (t && t->to >= c->resumed)
		e->torn = t->to;
}

/* Did threads act that no line introduced, in a trace whose writer introduces all? Then it is not
 * known to which process they belong, and whether they are workers. */
bool losses_context(const struct ctt_judge *j)
{
	const struct ctt_model *m = j->model;
	const struct ctt_worker *w;
	bool recorded = m->counted[CTT_EV_PROCESS];	/* by one that introduces all */
	size_t strangers = 0;

	if (m->vanished[CTT_EV_THREAD] || m->vanished[CTT_EV_PROCESS])
		return true;
	for (size_t i = 0; recorded && (w = ctt_model_next_worker(j->model, &i));)
		strangers += !w->pid && !w->role && w->last_ts;
	return strangers && !m->cut;
}

static uint64_t vanished(const struct ctt_model *m, uint64_t kinds)
{
	uint64_t n = 0;

	for (int k = 0; k < CTT_EV_KINDS; k++)
		n = sum(n, kinds >> k & 1 ? m->vanished[k] : 0);
	return n;
}

/* Are all that were lost own events of coroutines whose gaps were seen? */
static bool all_shown_by_gaps(const struct ctt_model *m)
{
	uint64_t ring = m->lost > m->end_lost ? m->lost : m->end_lost;
	uint64_t gone = m->counts_by_kind ? vanished(m, OWN) : m->missing - m->gaps;

	return sum(ring, gone) <= m->gaps && m->gaps < UINT64_MAX;
}

static void latest(uint64_t *to, uint64_t ts)
{
	if (ts > *to)
		*to = ts;
}

void losses_weigh(struct ctt_judge *j)
{
	keyed_free(&j->lost_in);
	j->lost_in = (struct keyed){ .elem = sizeof(struct lost_last) };
	j->lost_last = 0;
	for (size_t i = 0; i < j->losses.count; i++) {
		const struct lost_last *t = j->losses.item[i];
		const struct ctt_worker *w = ctt_model_worker(j->model, t->id);

		latest(&j->lost_last, t->to);
		latest(&((struct lost_last *)keyed_get(&j->lost_in, w ? w->pid : 0))->to, t->to);
	}
	j->by_gaps = all_shown_by_gaps(j->model);
	j->context = losses_context(j);
}

static bool lost_in(const struct ctt_judge *j, uint64_t pid, uint64_t from)
{
	const struct lost_last *p = keyed_find(&j->lost_in, pid);

	return p && p->to >= from;
}

/* May a thread of c's process have lost something since then? */
static bool thread_lost(struct ctt_judge *j, const struct ctt_coro *c, uint64_t from)
{
	const struct ctt_worker *mine = ctt_model_worker(j->model, c->tid);

	if (!mine || !mine->pid)
		return j->losses.count && j->lost_last >= from;
	return lost_in(j, mine->pid, from) || lost_in(j, 0, from);
}

static bool own_lost(const struct ctt_coro *c, uint64_t from)
{
	const struct evidence *e = c->evidence;

	return e && e->lost_to && e->lost_to >= from && !c->confirmed;
}

static bool members_lost(struct ctt_judge *j, const struct ctt_finding *f, uint64_t from)
{
	for (uint32_t i = 0; i < f->cycle_count; i++) {
		const struct ctt_coro *c = judge_coro_of(j, f->cycle[i]);

		if (c && own_lost(c, from))
			return true;
	}
	return false;
}

/* Whether it still ran when it was woken or notified, none but its own events tell: where one is missing
 * since it was last seen to be resumed, it may have waited meanwhile, and that wake have ended that wait. */
static bool run_torn(const struct ctt_finding *f)
{
	const struct evidence *e = f->coro->evidence;

	return f->verdict == CTT_V_MISSED_WAKE && f->cause.ts < f->coro->last_ts && e &&
		(e->stated || e->lost_to > f->coro->resumed);
}

/* Could something else than its own events be missing that matters? A word for what. */
static const char *others_lost(struct ctt_judge *j, const struct ctt_finding *f, uint64_t from)
{
	const struct ctt_model *m = j->model;
	uint64_t needs = verdict_of(f->verdict)->needs;

	if (m->astray)
		return MODEL_ASTRAY;
	if (j->lost_to >= from && j->lost_to)
		return "events were lost or unreadable after that";
	if (j->context)
		return "threads act that no line introduced";
	if (vanished(m, needs & ~OWN))
		return "lines that could show its wake were taken out of the trace";
	if (f->verdict == CTT_V_DEAD_OWNER && j->unborn)
		return "it is not reported who created whom: the lock's guard may have gone to another";
	if (j->by_gaps)
		return NULL;
	if (thread_lost(j, f->coro, from))
		return "a thread that could have woken it lost events after that";
	return m->missing > m->gaps || m->end_lost > m->lost ?
		"events are missing, nobody knows which" :
		NULL;
}

/* A mark of what leaves a finding without its proof, and how much of it stands. */
const char *losses_touch(
	struct ctt_judge *j, const struct ctt_finding *f, uint64_t from, enum ctt_certainty *left)
{
	const char *why;

	*left = CTT_UNKNOWN;
	if (own_lost(f->coro, from) || members_lost(j, f, from) || run_torn(f))
		return "events of its own were lost after that";
	why = others_lost(j, f, from);
	/* so it does wait; only why, is open. But what was there may have been taken since, or a lock
	 * given back: then nothing is the matter */
	if (why && f->coro->confirmed && !f->torn && f->verdict != CTT_V_READY_RESOURCE &&
		f->verdict != CTT_V_WASTED_WAKE)
		*left = CTT_SUSPECTED;
	return why;
}
