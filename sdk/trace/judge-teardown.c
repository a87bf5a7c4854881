/* judge-teardown.c - when a process, or what ran its coroutines, came to an end: T for what it left behind. */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

/* How surely a thread is one that runs coroutines: it says so, it parks, it ran one; 0: it does not. */
static int likeness(const struct worker *w)
{
	if (w->role && !strcmp(w->role, "blocking"))
		return 0;
	return w->role && !strcmp(w->role, "worker") ? 3 : w->parks ? 2 : w->runs;
}

/* Those of a process that are most like a worker are its workers. */
static int best_likeness(const struct judge *j, uint64_t pid)
{
	int best = 1;
	struct worker *w;

	for (size_t i = 0; (w = model_next_worker(j->model, &i));)
		if (w->pid == pid && likeness(w) > best)
			best = likeness(w);
	return best;
}

/* When did the last of a process's workers stop? One whose thread ended, or that tells when it sleeps, and neither sleeps
 * nor runs anything, is out of its loop: what is closed then, and not told to those who wait, is the order in which a
 * program takes itself apart. UINT64_MAX: they are there, or do not tell. */
static uint64_t stopped(const struct judge *j, uint64_t pid)
{
	uint64_t last = 0;
	int worker = best_likeness(j, pid);
	struct worker *w;

	for (size_t i = 0; (w = model_next_worker(j->model, &i));) {
		if (w->pid != pid || likeness(w) < worker)
			continue;
		if (!w->ended && (w->parked || w->running || !w->parks))
			return UINT64_MAX;
		if (w->stirred > last)
			last = w->stirred;
	}
	return last ? last : UINT64_MAX;
}

/* The latest time at which a process is known to have gone on: what it had not done by its end it may have been about to
 * do. One whose workers all sleep is about to do nothing, and lasts to its end. */
static uint64_t went_on(const struct judge *j, const struct exited *x)
{
	uint64_t last = x->alive;
	bool asleep = false, awake = false;
	int worker = best_likeness(j, x->pid);
	struct worker *w;

	for (size_t i = 0; (w = model_next_worker(j->model, &i));) {
		if (w->pid != x->pid)
			continue;
		if (w->last_ts > last)
			last = w->last_ts;
		asleep |= w->parked;
		awake |= likeness(w) >= worker && !w->parked && !w->ended;
	}
	return !x->alive || (asleep && !awake) ? x->ts : last;
}

static const struct exited *exit_of(const struct judge *j, uint64_t pid)
{
	const struct exited *x = keyed_find(&j->exits, pid), *last = NULL;

	for (size_t i = 0; !x && !pid && i < j->exits.count; i++) {	/* not told of which process it is */
		const struct exited *other = j->exits.item[i];

		last = !last || other->ts > last->ts ? other : last;
	}
	return x ? x : last ? last : keyed_find(&j->exits, 0);
}

static uint64_t process_end(const struct judge *j, uint64_t pid)
{
	const struct exited *x = exit_of(j, pid);
	uint64_t end = j->model->last_ts, stop = stopped(j, pid);

	if (x && went_on(j, x) < end)
		end = went_on(j, x);
	return stop < end ? stop : end;
}

static uint64_t pid_of(const struct judge *j, uint64_t tid)
{
	const struct worker *w = model_worker(j->model, tid);

	return w ? w->pid : 0;
}

struct process *process_of(struct judge *j, uint64_t tid)
{
	return keyed_get(&j->processes, pid_of(j, tid));
}

uint64_t end_for(struct judge *j, const struct coro *c)
{
	struct process *p = process_of(j, c->tid);

	if (!p->end)
		p->end = process_end(j, p->pid);
	return p->end;
}

/* The destroy is put off: its coroutine is judged as the workers left it. */
static void put_off(struct judge *j, const struct event *ev)
{
	if (j->torn_count == j->torn_size)
		j->torn = need(realloc(j->torn, (j->torn_size = 2 * j->torn_size + 16) * sizeof(*j->torn)));
	j->torn[j->torn_count++] = (struct torn){ ev->probe_id, ev->ts, ev->tid, ev->n, ev->line, ev->has };
}

static void catch_up(struct judge *j)
{
	for (size_t i = 0; i < j->torn_count; i++) {
		const struct torn *t = &j->torn[i];
		struct event ev = { .kind = EV_DESTROY, .has = t->has, .probe_id = t->id, .ts = t->ts, .tid = t->tid, .n = t->n,
			.line = t->line };

		model_apply(j->model, &ev);
	}
	j->torn_count = 0;
}

bool tear_down(struct judge *j, const struct event *ev)
{
	const struct coro *c;
	uint64_t pid;

	if (j->torn_count && (ev->kind == EV_RESUME || ev->kind == EV_PARK || ev->kind == EV_UNPARK) &&
	    pid_of(j, ev->tid) == j->torn_pid)
		catch_up(j);	/* they go on: it was cancelled */
	if (ev->kind != EV_DESTROY || ev->done || !(ev->has & HAS_DONE))
		return false;
	c = model_coro(j->model, ev->probe_id);
	pid = pid_of(j, ev->tid);
	if (!c || c->state == CORO_RUNNING || stopped(j, pid) > ev->ts)
		return false;
	if (pid != j->torn_pid)
		catch_up(j);
	j->torn_pid = pid;
	put_off(j, ev);
	return true;
}
