/* runnable.c - verdicts on the woken that do not run: dropped-wake, asleep-workers. */
#include "judge/judge.h"

/* so many times the longest that others waited to run: without parks, and with */
enum { TIMES = 10, WAITS = 5 };

static bool never_parks(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	(void)j; (void)c; (void)arg;
	return !w->parks;
}

static bool parks(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *any)
{
	(void)j; (void)c;
	*(bool *)any |= w->parks;
	return true;
}

/* Does one of its workers say when it parks? */
static bool parks_are_known(struct ctt_judge *j, const struct ctt_coro *c)
{
	bool known = false;

	each_worker(j, c, parks, &known);
	return known;
}

/* Until when did its last park last? A program that ends in good order ends its workers' sleep. */
static uint64_t slept_until(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w)
{
	return w->parked ? end_for(j, c) : w->parked_until;
}

/* Has it looked for work since *since, found none, and either looked again after the grace or slept
 * for it? */
static bool found_nothing(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	uint64_t since = *(uint64_t *)arg, until = slept_until(j, c, w);

	if (w->parked_since <= since || (w->depth != UINT64_MAX && w->depth > 0))
		return false;
	return w->parked_since - since >= j->grace ||
		(until > w->parked_since && until - w->parked_since >= j->grace);
}

/* Did it sleep for the grace, after *since, and run nothing from then on? One that got up to work
 * was told, and was only waiting for a processor. */
static bool sleeps(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	uint64_t from = *(uint64_t *)arg, until = slept_until(j, c, w);

	if (w->parked_since > from)
		from = w->parked_since;
	return w->parks && (w->parked || w->ran < until) && until > from &&
		until - from >= j->grace;
}

static bool idle(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *since)
{
	return found_nothing(j, c, w, since) || sleeps(j, c, w, since);
}

struct look { uint64_t since; bool in_vain, full; };

/* Who looked since the wake and what they saw: nothing, or a queue with work in it. */
static bool looked(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	struct look *l = arg;
	bool full = w->depth != UINT64_MAX && w->depth > 0;

	(void)j; (void)c;
	l->full |= full;
	l->in_vain |= w->parked_since > l->since && !full;
	return true;
}

/* Does it run something, and since when? */
static bool busy(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *since)
{
	const struct ctt_coro *r = worker_keeper(j, w);

	(void)c;
	if (!r)
		return false;
	if (r->since > *(uint64_t *)since)
		*(uint64_t *)since = r->since;
	return true;
}

static bool overdue(const struct ctt_judge *j, uint64_t since, uint64_t until)
{
	return until > since && (until - since) / TIMES > j->longest_delay;
}

/* Over ten times the longest delay of others: until the end, or until all workers had their hands
 * full. */
static bool long_overdue(struct ctt_judge *j, const struct ctt_coro *c, uint64_t since)
{
	uint64_t until = 0;

	if (!each_worker(j, c, busy, &until))
		until = end_for(j, c);
	return overdue(j, since, until);
}

/* May a worker that was reported to get up only be waiting for a processor? On a machine so busy
 * others waited long, too. */
static bool may_be_on_its_way(struct ctt_judge *j, const struct ctt_coro *c, uint64_t since)
{
	return (end_for(j, c) - since) / WAITS <= j->longest_delay;
}

/* When the first of them began what still runs, or just did, and when the first and the last was seen. */
struct seen { uint64_t busy, first, last; };

static bool see(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	const struct ctt_coro *r = worker_keeper(j, w);
	struct seen *s = arg;

	if (r && r->since < s->busy)
		s->busy = r->since;
	/* what it was inside of until a moment ago, as when it is then to stop */
	if (!r && w->ran && w->ran < s->busy && w->last_ts + j->grace > end_for(j, c))
		s->busy = w->ran;
	if (w->last_ts < s->first)
		s->first = w->last_ts;
	if (w->last_ts > s->last)
		s->last = w->last_ts;
	return true;
}

/* Is there one behind whose poll it may stand, as in a strand, or that is silent while others go on, as
 * inside something of which nothing is told? */
static bool may_be_behind(struct ctt_judge *j, const struct ctt_coro *c, uint64_t since)
{
	struct seen s = { UINT64_MAX, UINT64_MAX, 0 };

	each_worker(j, c, see, &s);
	return (s.busy != UINT64_MAX && !overdue(j, since, s.busy)) ||
		(overdue(j, since, s.last) && !overdue(j, since, s.first));
}

bool may_be_queued(struct ctt_judge *j, const struct ctt_coro *c, uint64_t since)
{
	if (parks_are_known(j, c))
		return !each_worker(j, c, found_nothing, &since) &&
			(may_be_on_its_way(j, c, since) || !each_worker(j, c, idle, &since));
	return !long_overdue(j, c, since);
}

bool may_be_behind_others(struct ctt_judge *j, const struct ctt_coro *c, uint64_t since)
{
	return !parks_are_known(j, c) && may_be_behind(j, c, since);
}

/* Does it run one coroutine, for the grace? */
static bool inside(struct ctt_judge *j, const struct ctt_worker *w)
{
	const struct ctt_coro *r = worker_keeper(j, w);

	return r && settled(j, r, r->since);
}

static bool is_inside(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	(void)c; (void)arg;
	return inside(j, w);
}

static bool idle_or_inside(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *since)
{
	return idle(j, c, w, since) || inside(j, w);
}

static bool add_park(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *f)
{
	(void)j; (void)c;
	add_fact(f,
		(struct ctt_fact){ w->park_line, w->parked_since, w->tid, 0, 0, "worker parked" });
	return true;
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

static bool depth_known(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *arg)
{
	(void)j; (void)c; (void)arg;
	return w->depth != UINT64_MAX;
}

static bool depths_known(struct ctt_judge *j, const struct ctt_coro *c)
{
	return each_worker(j, c, depth_known, NULL);
}

/* Where no worker parks. What was never run may be meant for a thread that is still to come: as a context that is
 * filled before anybody runs it. */
static bool long_runnable(struct ctt_judge *j, const struct ctt_coro *c, struct ctt_finding *f)
{
	bool behind;

	if (!long_overdue(j, c, c->wake_ts))
		return false;
	behind = may_be_behind(j, c, c->wake_ts);
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
	const struct ctt_worker *mine = c->resumed ? ctt_model_worker(j->model, c->tid) : NULL;
	uint64_t since = c->wake_ts;

	return mine && !mine->parks && !may_be_on_its_way(j, c, since) &&
		each_candidate(j, c, sleeps, &since);
}

/* Does it leave to others what never ran, as one of a runtime whose coroutines begin where they are made? */
static bool begins_none(
	struct ctt_judge *j, const struct ctt_coro *c, const struct ctt_worker *w, void *ran)
{
	const struct thread *t = keyed_find(&j->threads, w->tid);

	(void)c;
	*(bool *)ran |= w->ran != 0;
	return !(t && t->begins);
}

/* It was never run, and those who sleep have run others, but begun none: who is to run it may come yet. */
static bool is_others_to_begin(struct ctt_judge *j, const struct ctt_coro *c)
{
	bool ran = false;

	return !c->resumed && each_worker(j, c, begins_none, &ran) && ran;
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
	struct look look = { c->wake_ts, false, false };

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
	each_worker(j, c, looked, &look);
	if (each_worker(j, c, found_nothing, &c->wake_ts)) {
		f->verdict = CTT_V_DROPPED_WAKE;
		f->because = depths_known(j, c) ?
			"every worker has since found nothing to do: they are in no queue" :
			"every worker has since gone to sleep without running them";
	} else if (each_worker(j, c, idle, &c->wake_ts) && look.in_vain && !look.full) {
		f->verdict = CTT_V_DROPPED_WAKE;
		f->because =
			"workers have since found nothing to do, and the others sleep: they are in no queue that is looked at";
	} else if (each_worker(j, c, sleeps, &c->wake_ts)) {
		f->verdict = CTT_V_ASLEEP_WORKERS;
		f->because = "all workers sleep and nobody was notified that there is work";
		if (may_be_on_its_way(j, c, c->wake_ts)) {
			f->certainty = CTT_SUSPECTED;
			f->because =
				"all workers sleep; but others waited nearly as long to run, as on an overloaded machine";
		}
	} else if (sleeper_has_it(j, c, f)) {
		return true;
	} else if (!look.full && settled(j, c, c->wake_ts) &&
		each_worker(j, c, idle_or_inside, &c->wake_ts) &&
		!each_worker(j, c, is_inside, NULL)) {
		f->verdict = look.in_vain ? CTT_V_DROPPED_WAKE : CTT_V_ASLEEP_WORKERS;
		f->certainty = CTT_HINT;
		f->because = look.in_vain ?
			"workers have since found nothing to do, and the others are inside polls: they can only be in a queue of these" :
			"workers sleep, and the others are inside polls: they wait for one of these, and nobody else was notified";
	} else if (only_its_starter_is_up(j, c)) {
		f->verdict = CTT_V_ASLEEP_WORKERS;
		f->certainty = CTT_UNKNOWN;
		f->because =
			"all workers sleep and nobody was notified that there is work; but the thread that ran them last is none of these, and may have a queue of its own";
	} else if (each_worker(j, c, never_parks, NULL) && j->delays) {
		return long_runnable(j, c, f);
	} else {
		return false;
	}
	if (is_between_turns(j, e))
		doubt_turns(e, f);
	if (f->certainty != CTT_HINT && is_others_to_begin(j, c)) {
		f->certainty = CTT_UNKNOWN;
		f->because =
			"all workers sleep, or have found nothing to do; but none of them began any, and who is to begin these may come yet";
	}
	each_worker(j, c, add_park, f);
	return true;
}
