/* teardown.c - when a process, or what ran its coroutines, came to an end: T for what it left
 * behind. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

/* The latest time at which a process is known to have gone on. What it had not done by then it may
 * have been about to do: that it ended is seen late, and its threads do nothing while it is taken
 * apart. */
static uint64_t went_on(const struct ctt_judge *j, const struct exited *x)
{
	struct process *p = keyed_find(&j->processes, x->pid);
	uint64_t last = p ? crew_last_ts(p) : 0;

	if (last < x->alive)
		last = x->alive;
	return x->alive && last < x->ts ? last : x->ts;
}

static const struct exited *exit_of(const struct ctt_judge *j, uint64_t pid)
{
	const struct exited *x = keyed_find(&j->exits, pid), *last = NULL;

	/* not reported of which process it is */
	for (size_t i = 0; !x && !pid && i < j->exits.count; i++) {
		const struct exited *other = j->exits.item[i];

		last = !last || other->ts > last->ts ? other : last;
	}
	return x ? x : last ? last : keyed_find(&j->exits, 0);
}

/* How long may a process be taken to have lived? In the box of one that has died, which others
 * share, no longer than it is seen to: they ended whenever they did. */
static uint64_t latest(const struct ctt_judge *j, struct process *p)
{
	uint64_t last = j->model->dead && j->several_pids ? crew_last_ts(p) : 0;

	return last ? last : j->model->last_ts;
}

/* T for the coroutines of a process, and when it ended. */
static struct over find_end(
	const struct ctt_judge *j, struct process *p, const struct exited *x)
{
	uint64_t now = latest(j, p), stop = crew_stopped_at(p);
	uint64_t end = x && went_on(j, x) < now ? went_on(j, x) : now,
		 exit = x && x->ts < now ? x->ts : now;

	return (struct over){ x ? x->ts : now, stop < end ? stop : end, stop < exit ? stop : exit };
}

static uint64_t pid_of(const struct ctt_judge *j, uint64_t tid)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, tid);

	return tid ? w ? w->pid : 0 : j->lone_pid;
}

struct process *process_of(struct ctt_judge *j, uint64_t tid)
{
	return keyed_get(&j->processes, pid_of(j, tid));
}

/* Its coroutines ended with it: over_of() finds that out when it is asked for one, for they may be
 * many. */
void process_ended(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct exited x = { ev->process.pid, ev->ts, ev->process.alive };
	struct process *p = keyed_get(&j->processes, ev->process.pid);
	struct over over = find_end(j, p, &x);

	if (over.end > p->over_latest)
		p->over_latest = over.end;
	*ADD(p->over, p->overs, p->over_room) = over;
	crew_end(p, ev->ts);
}

/* The end that a coroutine's process came to while others went on; NULL: none. A number is used
 * again: then the first after the coroutine began. */
static const struct over *over_of(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	const struct process *p = e && e->process && e->process->pid ?
		e->process :
		keyed_find(&j->processes, pid_of(j, c->tid));
	size_t lo = 0, hi = p ? p->overs : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->over[mid].seen < c->first_ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return p && lo < p->overs ? &p->over[lo] : NULL;
}

static uint64_t process_end(struct ctt_judge *j, struct process *p)
{
	if (!p->now.end) {
		struct over found = find_end(j, p, exit_of(j, p->pid));

		p->now.end = found.end;
		p->now.exit = found.exit;
	}
	return p->now.end;
}

uint64_t end_for(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct over *over = over_of(j, c);

	return over ? over->end : process_end(j, process_of(j, c->tid));
}

uint64_t lived_until(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct exited *x = exit_of(j, pid_of(j, c->tid));
	const struct over *over = over_of(j, c);

	if (j->torn_down)
		return end_for((struct ctt_judge *)j, c);	/* which keeps what it finds */
	return over ? over->end : x ? went_on(j, x) : j->model->last_ts;
}

uint64_t latest_end(struct ctt_judge *j, uint64_t pid)
{
	struct process *p = keyed_get(&j->processes, pid);
	uint64_t end = process_end(j, p);

	return p->over_latest > end ? p->over_latest : end;
}

uint64_t age_of(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct over *over = over_of(j, c);
	uint64_t end = over ? over->exit : end_for(j, c) ? process_of(j, c->tid)->now.exit : 0;

	return end > c->since ? end - c->since : 0;
}

bool settled(struct ctt_judge *j, const struct ctt_coro *c, uint64_t ts)
{
	uint64_t end = end_for(j, c);

	return end > ts && end - ts >= j->grace;
}

enum { DEFER_LEAST = 1 << 14 };	/* and two for each that lives */

/* What a program does to itself once its workers have stopped: it destroys frames, whose guards
 * release locks and wake others. Deferred until they come back, so that those who wait are judged
 * as the workers left them. Mostly they never do, so what is too many to keep is dropped, and
 * counts as lost if they come back after all. */
static void defer(struct ctt_judge *j, const struct ctt_event *ev)
{
	bool destroys = ev->kind == CTT_EV_DESTROY;
	struct ctt_coro *c = destroys ? ctt_model_coro(j->model, ev->probe_id) : NULL;
	struct later *l;

	j->model->counted[ev->kind]++;
	j->torn_down += c != NULL;
	if (c)
		evidence_of(c)->torn_down = true;
	if (j->later_count >= DEFER_LEAST + 2 * ctt_model_live(j->model)) {
		j->dropped_from = j->dropped_from ? j->dropped_from : ev->ts;
		j->dropped_to = ev->ts > j->dropped_to ? ev->ts : j->dropped_to;
		return;
	}
	l = ADD(j->later, j->later_count, j->later_room);
	*l = (struct later){ ev->kind, ev->has, ev->done,
		ev->kind == CTT_EV_WAKER && ev->waker.clone, ev->probe_id, ev->tid, ev->ts, ev->n,
		ev->site, ev->by, ctt_ev_value(ev), ev->line, ev->on };
	if (ev->on.kind != CTT_ON_NONE && !ev->on.number && ev->on.text.len)
		l->on.text.p =
			memcpy(need(malloc(ev->on.text.len)), ev->on.text.p, ev->on.text.len);
}

bool is_torn_down(const struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;

	return j->torn_down && e && e->torn_down;
}

static void free_text(struct later *l)
{
	if (l->on.kind != CTT_ON_NONE && !l->on.number && l->on.text.len)
		free((char *)l->on.text.p);
}

void later_free(struct ctt_judge *j)
{
	for (size_t i = 0; i < j->later_count; i++)
		free_text(&j->later[i]);
	free(j->later);
}

/* Of a program that takes itself apart: by whom, and what. */
static bool is_teardown(const struct ctt_judge *j, const struct ctt_event *ev)
{
	static const uint64_t tears = CTT_KIND(DESTROY) | CTT_KIND(WAKE) | CTT_KIND(OPEN) |
		CTT_KIND(CLOSE) | CTT_KIND(NOTIFY) | CTT_KIND(LEVEL) |
		CTT_KIND(ACQUIRE) | CTT_KIND(RELEASE) | CTT_KIND(WAKER) |
		CTT_KIND(DEQUEUE) | CTT_KIND(DEADLINE);
	const struct ctt_worker *w;

	return tears >> ev->kind & 1 && (w = ctt_model_worker(j->model, ev->tid)) && !w->running;
}

bool later_is_due(struct ctt_judge *j, const struct ctt_event *ev)
{
	static const uint64_t works = CTT_KIND(RESUME) | CTT_KIND(PARK) | CTT_KIND(UNPARK);
	uint64_t pid;

	if (!j->later_count)
		return false;
	if (works >> ev->kind & 1)
		return pid_of(j, ev->tid) == j->later_pid;
	if (!is_teardown(j, ev))
		return false;
	pid = pid_of(j, ev->tid);	/* of another process, to make room for it */
	return pid != j->later_pid && crew_stopped(j, pid, ev->ts);
}

bool later_next(struct ctt_judge *j, size_t *i, struct ctt_event *ev)
{
	const struct later *l;

	if (*i)
		free_text(&j->later[*i - 1]);
	if (*i == j->later_count) {
		j->later_count = j->torn_down = 0;
		if (j->dropped_from) {
			j->dropped_until = j->dropped_to;
			j->dropped_from = j->dropped_to = 0;
		}
		return false;
	}
	l = &j->later[(*i)++];
	j->model->counted[l->kind]--;	/* defer() did */
	*ev = (struct ctt_event){ .kind = l->kind,
		.has = l->has,
		.done = l->done,
		.probe_id = l->probe_id,
		.tid = l->tid,
		.ts = l->ts,
		.n = l->n,
		.site = l->site,
		.by = l->by,
		.line = l->line,
		.on = l->on };
	if (l->kind == CTT_EV_WAKER)
		ev->waker.clone = l->clone;
	else if (l->kind == CTT_EV_NOTIFY)
		ev->notify.woken = l->value;
	else if (l->kind == CTT_EV_LEVEL)
		ev->level.value = l->value;
	return true;
}

bool judge_later(struct ctt_judge *j, const struct ctt_event *ev)
{
	uint64_t pid;

	if (!is_teardown(j, ev))
		return false;
	pid = pid_of(j, ev->tid);
	if (!j->later_count || pid != j->later_pid) {
		if (!crew_stopped(j, pid, ev->ts))
			return false;
		j->later_pid = pid;
	}
	model_part(j->model);
	defer(j, ev);
	return true;
}
