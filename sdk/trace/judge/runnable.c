/* runnable.c - verdicts on the woken that do not run: dropped-wake, asleep-workers. */
#include "judge/judge.h"
#include "judge/look.h"

/* so many times the longest that others waited to run: without parks, and with */
enum { TIMES = 10, WAITS = 5 };

static bool overdue(const struct ctt_judge *j, uint64_t since, uint64_t until)
{
	return until > since && (until - since) / TIMES > j->longest_delay;
}

/* Over ten times the longest delay of others: until the end, or until all workers had their hands
 * full. */
static bool long_overdue(
	struct ctt_judge *j, const struct ctt_coro *c, const struct look *l, uint64_t since)
{
	return overdue(j, since, l->busy ? l->busy_since : end_for(j, c));
}

/* May a worker that was reported to get up only be waiting for a processor? On a machine so busy
 * others waited long, too. */
static bool may_be_on_its_way(struct ctt_judge *j, const struct ctt_coro *c, uint64_t since)
{
	return (end_for(j, c) - since) / WAITS <= j->longest_delay;
}

/* Is there one behind whose poll it may stand, as in a strand, or that is silent while others go on, as
 * inside something of which nothing is told? */
static bool may_be_behind(const struct ctt_judge *j, const struct look *l, uint64_t since)
{
	return (l->first_busy != UINT64_MAX && !overdue(j, since, l->first_busy)) ||
		(overdue(j, since, l->last_seen) && !overdue(j, since, l->first_seen));
}

bool may_be_queued(struct ctt_judge *j, const struct ctt_coro *c, uint64_t since)
{
	struct look l = look_at_workers(j, c);

	if (l.parks)
		return since >= l.found_nothing &&
			(may_be_on_its_way(j, c, since) || since >= l.idle);
	return !long_overdue(j, c, &l, since);
}

bool may_be_behind_others(struct ctt_judge *j, const struct ctt_coro *c, uint64_t since)
{
	struct look l = look_at_workers(j, c);

	return !l.parks && may_be_behind(j, &l, since);
}

static bool add_park(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *finding)
{
	struct ctt_finding *f = finding;

	(void)j; (void)c;
	add_fact(f,
		(struct ctt_fact){ w->park_line, w->parked_since, w->tid, 0, 0, "worker parked" });
	return f->fact_count < CTT_FINDING_FACTS;
}

static void add_parks(
	struct ctt_judge *j, const struct ctt_coro *c, const struct look *l, struct ctt_finding *f)
{
	each_worker(j, c, add_park, f);
	if (l->oldest_park != UINT64_MAX && (!f->oldest || l->oldest_park < f->oldest))
		f->oldest = l->oldest_park;
}

/* Does this worker sleep, for the grace, with work in its queue? */
static bool sleeps_on_work(struct ctt_judge *j, const struct ctt_worker *w)
{
	struct ctt_coro c = { .tid = w->tid, .first_ts = w->parked_since };

	return !w->ended && w->depth != UINT64_MAX && w->depth && w->parked &&
		end_for(j, &c) > w->parked_since && end_for(j, &c) - w->parked_since >= j->grace;
}

/* How long the queues of each process's sleepers are, and how many coroutines could be in them. */
static void count_queued(struct ctt_judge *j)
{
	struct ctt_worker *w;
	struct ctt_coro *c;

	j->queues_counted = true;
	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));) {
		struct process *p;

		if (!sleeps_on_work(j, w))
			continue;
		p = keyed_get(&j->processes, w->pid);
		p->now.depth += w->depth;
		if (w->parked_since > p->now.asleep_since)
			p->now.asleep_since = w->parked_since;
		if (p->now.sleepers < SLEEPERS)
			p->now.sleeper[p->now.sleepers++] = w;
	}
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));) {
		struct process *p = process_of(j, c->tid);

		p->now.queued += p->now.depth &&
			(c->state == CTT_CORO_RUNNABLE || c->state == CTT_CORO_CREATED) &&
			c->since <= p->now.asleep_since;
	}
}

/* Whatever the others do: it can only be in the queue of one that sleeps. */
static bool sleeper_has_it(struct ctt_judge *j, const struct ctt_coro *c, struct ctt_finding *f)
{
	struct process *p = process_of(j, c->tid);

	if (!j->queues_counted)
		count_queued(j);
	if (!p->now.depth || p->now.queued != p->now.depth || c->wake_ts > p->now.asleep_since)
		return false;
	f->verdict = CTT_V_ASLEEP_WORKERS;
	f->because =
		"workers sleep with as many in their queues as wait to run, and these are among them";
	for (uint32_t i = 0; i < p->now.sleepers; i++) {
		const struct ctt_worker *w = p->now.sleeper[i];

		add_fact(f,
			(struct ctt_fact){
				w->park_line, w->parked_since, w->tid, 0, 0, "worker parked" });
	}
	return true;
}

/* Where no worker parks. What was never run may be meant for a thread that is still to come: as a context that is
 * filled before anybody runs it. */
static bool long_runnable(
	struct ctt_judge *j, const struct ctt_coro *c, const struct look *l, struct ctt_finding *f)
{
	bool behind;

	if (!long_overdue(j, c, l, c->wake_ts))
		return false;
	behind = may_be_behind(j, l, c->wake_ts);
	f->verdict = CTT_V_DROPPED_WAKE;
	f->certainty = behind || !c->resumed ? CTT_UNKNOWN : CTT_SUSPECTED;
	f->because = behind ?
		"runnable for over ten times the longest delay of others; but it may be behind what a worker is inside of, as in a strand" :
		!c->resumed ?
		"handed over to be run, and not begun for over ten times the longest delay of others; but who is to run it may come yet" :
		"runnable for over ten times the longest delay of others; no worker was ever seen to park";
	return true;
}

/* The workers sleep, and a thread that is none began it, and never reports whether it sleeps: as main does in a
 * program whose coroutines begin where they are called. It may have a loop of its own. */
static bool only_its_starter_is_up(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct ctt_worker *mine = worker_of(j, c);

	return mine && !mine->parks && !may_be_on_its_way(j, c, c->wake_ts) &&
		c->wake_ts < look_at_candidates(j, c).sleeps;
}

/* A task that only others polled, as a LocalSet's, whose queue no worker looks at. Is the last of these gone? Where
 * there were several, another may poll it next. */
static bool is_between_turns(struct ctt_judge *j, const struct evidence *e)
{
	return e->wakers_known && e->within && !ctt_model_coro(j->model, e->within);
}

static void doubt_turns(const struct evidence *e, struct ctt_finding *f)
{
	if (f->certainty == CTT_HINT)
		return;
	f->certainty = e->turns > 1 ? CTT_UNKNOWN : CTT_SUSPECTED;
	f->because = e->turns > 1 ?
		"they are in no worker's queue; but others polled them by turns, as a LocalSet that is run again and again, and the next may come yet" :
		"they are in no worker's queue, and who polled them has ended, as a LocalSet that is not run again; unless it is yet to be";
}

bool rule_runnable(struct ctt_judge *j, struct evidence *e, struct ctt_finding *f)
{
	struct ctt_coro *c = e->c;
	uint64_t woken = c->wake_ts;
	struct look look = look_at_workers(j, c);
	bool in_vain = woken < look.in_vain;

	f->certainty = CTT_PROVEN;
	if (c->last_line)
		add_fact(f, suspend_fact(c));
	f->cause = (struct ctt_fact){ c->wake_line, c->wake_ts, c->wake_tid, c->wake_by,
		c->wake_site, "woken" };
	add_fact(f, f->cause);
	if (e->dequeues && e->dequeues >= e->wakes) {
		f->verdict = CTT_V_DROPPED_WAKE;
		f->cause = e->dequeued;
		f->because = "they were taken from the run queue and not run";
		add_fact(f, f->cause);
		return true;
	}
	if (woken < look.found_nothing) {
		f->verdict = CTT_V_DROPPED_WAKE;
		f->because = look.depth_known ?
			"every worker has since found nothing to do: they are in no queue" :
			"every worker has since gone to sleep without running them";
	} else if (woken < look.idle && in_vain && !look.full) {
		f->verdict = CTT_V_DROPPED_WAKE;
		f->because =
			"workers have since found nothing to do, and the others sleep: they are in no queue that is looked at";
	} else if (woken < look.sleeps) {
		f->verdict = CTT_V_ASLEEP_WORKERS;
		f->because = "all workers sleep and nobody was notified that there is work";
		if (may_be_on_its_way(j, c, woken)) {
			f->certainty = CTT_SUSPECTED;
			f->because =
				"all workers sleep; but others waited nearly as long to run, as on an overloaded machine";
		}
	} else if (sleeper_has_it(j, c, f)) {
		return true;
	} else if (!look.full && settled(j, c, woken) && woken < look.idle_or_inside &&
		!look.inside) {
		f->verdict = in_vain ? CTT_V_DROPPED_WAKE : CTT_V_ASLEEP_WORKERS;
		f->certainty = CTT_HINT;
		f->because = in_vain ?
			"workers have since found nothing to do, and the others are inside polls: they can only be in a queue of these" :
			"workers sleep, and the others are inside polls: they wait for one of these, and nobody else was notified";
	} else if (only_its_starter_is_up(j, c)) {
		f->verdict = CTT_V_ASLEEP_WORKERS;
		f->certainty = CTT_UNKNOWN;
		f->because =
			"all workers sleep and nobody was notified that there is work; but the thread that ran them last is none of these, and may have a queue of its own";
	} else if (look.any && !look.parks && j->delays) {
		return long_runnable(j, c, &look, f);
	} else {
		return false;
	}
	if (is_between_turns(j, e))
		doubt_turns(e, f);
	/* never run, and those who sleep have run others */
	if (f->certainty != CTT_HINT && !c->resumed && look.begins_none && look.ran) {
		f->certainty = CTT_UNKNOWN;
		f->because =
			"all workers sleep, or have found nothing to do; but none of them began any, and who is to begin these may come yet";
	}
	add_parks(j, c, &look, f);
	return true;
}

/* Less a busy machine may keep a worker that is awake from a processor. */
enum { LONG_NS = 1000000000 };

/* It runs something, or was awake not long ago. */
static bool is_at_work(const struct ctt_judge *j, const struct ctt_worker *w, uint64_t until)
{
	return worker_runs(w) || worker_keeper(j, w) ||
		(!w->parked && w->last_ts + LONG_NS > until);
}

static bool add_service(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *process)
{
	struct process *p = process;

	(void)c;
	p->now.served_up |= !w->ended;
	p->now.served |= !w->ended && is_at_work(j, w, p->now.served_until);
	return true;
}

/* Are workers left that could run it, and have none of them done anything for long? */
static bool none_works(struct ctt_judge *j, const struct ctt_coro *c, uint64_t until)
{
	const struct ctt_worker *mine = worker_of(j, c);
	struct process *p = process_of(j, c->tid);

	if (p->now.served_until != until) {
		p->now.served_until = until;
		p->now.served_up = p->now.served = false;
		each_candidate(j, c, add_service, p);
	}
	if (p->now.served || !mine || mine->ended)
		return p->now.served_up && !p->now.served;
	return worker_is_candidate(j, mine) ? p->now.served_up : !is_at_work(j, mine, until);
}

/* What others poll may rest as long as these do, and what has never run be meant for a thread that is to come. */
static bool is_unserved(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	uint64_t until = lived_until(j, c);

	return c->state == CTT_CORO_RUNNABLE && c->resumed && e && !e->explained && !e->within &&
		!e->polled && !c->system && !c->doubted && !c->untraced && !c->since_before &&
		!is_torn_down(j, c) && until >= c->wake_ts + LONG_NS &&
		overdue(j, c->wake_ts, until) && none_works(j, c, until);
}

size_t judge_unserved(struct ctt_judge *j)
{
	struct ctt_coro *c;
	size_t n = 0;

	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		n += untold_mark(c, UNSERVED, is_unserved(j, c));
	return n;
}
