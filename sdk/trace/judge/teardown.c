/* teardown.c - when a process, or what ran its coroutines, came to an end: T for what it left behind. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

/* How surely a thread is one that runs coroutines: it says so, it parks, it ran one; 0: it does not. */
static int likeness(const struct ctt_worker *w)
{
	if (w->role && !strcmp(w->role, "blocking"))
		return 0;
	return w->role && !strcmp(w->role, "worker") ? 3 : w->parks ? 2 : w->runs;
}

/* Those of a process that are most like a worker are its workers. */
static int best_likeness(const struct ctt_judge *j, uint64_t pid)
{
	int best = 1;
	struct ctt_worker *w;

	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));)
		if (w->pid == pid && likeness(w) > best)
			best = likeness(w);
	return best;
}

enum { TOGETHER_NS = 200000000 };

/* When did a process's workers stop? One whose thread ended, or that tells when it sleeps, and neither sleeps nor runs
 * anything, is out of its loop: what is closed then, and not told to those who wait, is the order in which a program takes
 * itself apart. They are told to stop at one time, and do so as they get the processor: the first of them says when, but not
 * one that left long before. UINT64_MAX: they are there, or do not tell. */
static uint64_t stopped(const struct ctt_judge *j, uint64_t pid)
{
	uint64_t last = 0, first = UINT64_MAX;
	int worker = best_likeness(j, pid);
	struct ctt_worker *w;

	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));) {
		if (w->pid != pid || likeness(w) < worker)
			continue;
		if (!w->ended && (w->parked || w->running || !w->parks))
			return UINT64_MAX;
		if (w->stirred > last)
			last = w->stirred;
	}
	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));)
		if (w->pid == pid && likeness(w) >= worker && w->stirred + TOGETHER_NS >= last && w->stirred < first)
			first = w->stirred;
	return first;
}

/* The latest time at which a process is known to have gone on. What it had not done by then it may have been about to do:
 * that it ended is seen late, and its threads do nothing while it is taken apart. */
static uint64_t went_on(const struct ctt_judge *j, const struct exited *x)
{
	uint64_t last = x->alive;
	struct ctt_worker *w;

	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));)
		if (w->pid == x->pid && w->last_ts > last)
			last = w->last_ts;
	return x->alive && last < x->ts ? last : x->ts;
}

static const struct exited *exit_of(const struct ctt_judge *j, uint64_t pid)
{
	const struct exited *x = keyed_find(&j->exits, pid), *last = NULL;

	for (size_t i = 0; !x && !pid && i < j->exits.count; i++) {	/* not told of which process it is */
		const struct exited *other = j->exits.item[i];

		last = !last || other->ts > last->ts ? other : last;
	}
	return x ? x : last ? last : keyed_find(&j->exits, 0);
}

static void find_end(const struct ctt_judge *j, struct process *p, const struct exited *x)
{
	uint64_t stop = stopped(j, p->pid);

	p->end = x && went_on(j, x) < j->model->last_ts ? went_on(j, x) : j->model->last_ts;
	p->exit = x && x->ts < j->model->last_ts ? x->ts : j->model->last_ts;
	p->end = stop < p->end ? stop : p->end;
	p->exit = stop < p->exit ? stop : p->exit;
}

static uint64_t pid_of(const struct ctt_judge *j, uint64_t tid)
{
	const struct ctt_worker *w = ctt_model_worker(j->model, tid);

	return w ? w->pid : 0;
}

struct process *process_of(struct ctt_judge *j, uint64_t tid)
{
	return keyed_get(&j->processes, pid_of(j, tid));
}

void process_ended(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct exited x = { ev->value, ev->ts, ev->from };
	struct process p = { .pid = ev->value };
	struct ctt_worker *w;
	struct ctt_coro *c;

	find_end(j, &p, &x);
	for (size_t i = 0; (c = ctt_model_next(j->model, &i));)
		if (pid_of(j, c->tid) == p.pid && !evidence_of(c)->over) {
			evidence_of(c)->over = p.end;
			evidence_of(c)->over_seen = p.exit;
		}
	for (size_t i = 0; (w = ctt_model_next_worker(j->model, &i));)
		if (w->pid == p.pid && !w->ended)
			w->ended = ev->ts;	/* what it did last stands for those it leaves behind */
}

uint64_t end_for(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	struct process *p = process_of(j, c->tid);

	if (e && e->over)
		return e->over;
	if (!p->end)
		find_end(j, p, exit_of(j, p->pid));
	return p->end;
}

uint64_t age_of(struct ctt_judge *j, const struct ctt_coro *c)
{
	const struct evidence *e = c->evidence;
	uint64_t end = e && e->over ? e->over_seen : end_for(j, c) ? process_of(j, c->tid)->exit : 0;

	return end > c->since ? end - c->since : 0;
}

/* What a program does to itself once its workers have stopped: it destroys frames, whose guards release locks and wake
 * others. Put off until they come back, so that those who wait are judged as the workers left them. */
static void put_off(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct later *l;

	if (j->later_count == j->later_size)
		j->later = need(realloc(j->later, (j->later_size = 2 * j->later_size + 16) * sizeof(*j->later)));
	l = &j->later[j->later_count++];
	*l = (struct later){ ev->kind, ev->has, ev->done, ev->clone, ev->probe_id, ev->tid, ev->ts, ev->n, ev->site, ev->by,
		ev->value, ev->line, ev->on };
	if (ev->on.kind != CTT_ON_NONE && !ev->on.number && ev->on.text.len)
		l->on.text.p = memcpy(need(malloc(ev->on.text.len)), ev->on.text.p, ev->on.text.len);
	j->model->printed++;
	j->torn_down += ev->kind == CTT_EV_DESTROY && ctt_model_coro(j->model, ev->probe_id);
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

static void catch_up(struct ctt_judge *j)
{
	size_t count = j->later_count;

	j->later_count = j->torn_down = 0;
	j->model->printed -= count;
	for (size_t i = 0; i < count; i++) {
		struct later *l = &j->later[i];
		struct ctt_event ev = { .kind = l->kind, .has = l->has, .done = l->done, .clone = l->clone, .probe_id = l->probe_id,
			.tid = l->tid, .ts = l->ts, .n = l->n, .site = l->site, .by = l->by, .value = l->value, .line = l->line,
			.on = l->on };

		judge_now(j, &ev);
		free_text(l);
	}
}

bool judge_later(struct ctt_judge *j, const struct ctt_event *ev)
{
	static const uint32_t works = 1u << CTT_EV_RESUME | 1u << CTT_EV_PARK | 1u << CTT_EV_UNPARK;
	static const uint32_t tears = 1u << CTT_EV_DESTROY | 1u << CTT_EV_WAKE | 1u << CTT_EV_OPEN | 1u << CTT_EV_CLOSE | 1u << CTT_EV_NOTIFY |
		1u << CTT_EV_LEVEL | 1u << CTT_EV_ACQUIRE | 1u << CTT_EV_RELEASE | 1u << CTT_EV_WAKER;
	const struct ctt_worker *w;

	if (j->later_count && works >> ev->kind & 1 && pid_of(j, ev->tid) == j->later_pid)
		catch_up(j);
	if (!(tears >> ev->kind & 1) || !(w = ctt_model_worker(j->model, ev->tid)) || w->running)
		return false;
	if (!j->later_count || w->pid != j->later_pid) {
		if (stopped(j, w->pid) > ev->ts)
			return false;
		catch_up(j);	/* of another process */
		j->later_pid = w->pid;
	}
	put_off(j, ev);
	return true;
}
