/* crew.c - the threads of each process, counted as they go on: whether its workers have stopped is
 * asked at every line of a thread that runs no coroutine, and must not cost a walk over all threads
 * ever seen. Contracts in judge.h. */
#include <stdlib.h>
#include <string.h>

#include "judge/judge.h"

/* How surely a thread is one that runs coroutines: it declares so, it parks, it ran one; 0: none of
 * these. */
static unsigned confidence(const struct ctt_worker *w)
{
	if (w->role && !strcmp(w->role, "blocking"))
		return 0;
	return worker_by_role(w) ? 3 : w->parks ? 2 : w->ran != 0;
}

bool crew_is_plain(const struct thread *t)
{
	return t->w && !confidence(t->w);
}

/* A worker that sleeps in its poll of timers and descriptors wakes whom they are for from inside
 * its park: what it then runs, or that it gets up, is told. What else it does it does awake. */
static bool sleeps_on(const struct thread *t, enum ctt_ev_kind kind)
{
	static const uint64_t asleep = CTT_KIND(WAKE) | CTT_KIND(WAKER) | CTT_KIND(NOTIFY) |
		CTT_KIND(LEVEL) | CTT_KIND(DEADLINE) | CTT_KIND(THREAD);

	return kind == CTT_EV_PARK || (t->asleep && asleep >> kind & 1);
}

/* One whose thread ended, or that reports when it sleeps, and neither sleeps nor runs anything, is
 * out of its loop. */
static bool is_up(const struct thread *t)
{
	const struct ctt_worker *w = t->w;

	return !w->ended && (w->parked || t->asleep || worker_runs(w) || !w->parks);
}

static unsigned bits_of(const struct thread *t)
{
	return 1u | (unsigned)is_up(t) << 1 | (unsigned)t->w->parks << 2 |
		(unsigned)(t->w->ran != 0) << 3;
}

static void leave(struct thread *t)
{
	struct alike *a = &t->process->alike[t->confidence];

	a->all--;
	a->up -= t->bits >> 1 & 1;
	*t->prev = t->next;
	if (t->next)
		t->next->prev = t->prev;
	t->process = NULL;
}

static void join(struct thread *t, struct process *p)
{
	t->confidence = confidence(t->w);
	t->process = p;
	p->alike[t->confidence].all++;
	p->alike[t->confidence].up += t->bits >> 1 & 1;
	t->prev = &p->threads;
	t->next = p->threads;
	if (t->next)
		t->next->prev = &t->next;
	p->threads = t;
}

void crew_follow(struct ctt_judge *j, const struct ctt_event *ev)
{
	struct thread *t = keyed_get(&j->threads, ev->tid);
	struct alike *a;
	unsigned bits;

	if (!t->w && !(t->w = ctt_model_worker(j->model, ev->tid)))
		return;			/* it was only mentioned */
	t->asleep = sleeps_on(t, ev->kind);
	j->several_pids |= j->thread_pid && t->w->pid && t->w->pid != j->thread_pid;
	j->thread_pid = t->w->pid ? t->w->pid : j->thread_pid;
	bits = bits_of(t);
	if (bits != t->bits || ev->kind == CTT_EV_THREAD || !t->process) {
		if (t->process) {
			t->process->last_unknown |= ev->kind == CTT_EV_THREAD;
			leave(t);
		}
		t->bits = bits;
		join(t, keyed_get(&j->processes, t->w->pid));
	}
	a = &t->process->alike[t->confidence];
	if (t->w->last_active > a->last)
		a->last = t->w->last_active;
	if (t->w->last_ts > t->process->last)
		t->process->last = t->w->last_ts;
}

/* Those of a process that are most like a worker are its workers; NULL: it has none. */
static const struct alike *workers_of(const struct process *p)
{
	for (int i = 3; i > 0; i--)
		if (p->alike[i].all)
			return &p->alike[i];
	return NULL;
}

bool crew_stopped(struct ctt_judge *j, uint64_t pid, uint64_t ts)
{
	const struct process *p = keyed_find(&j->processes, pid);
	const struct alike *workers = p ? workers_of(p) : NULL;

	return workers && !workers->up && workers->last <= ts;
}

enum { TOGETHER_NS = 200000000 };

uint64_t crew_stopped_at(const struct process *p)
{
	const struct alike *workers = workers_of(p);
	uint64_t last = 0, first = UINT64_MAX;

	if (!workers || workers->up)
		return UINT64_MAX;
	for (const struct thread *t = p->threads; t; t = t->next)
		if (&p->alike[t->confidence] == workers && t->w->last_active > last)
			last = t->w->last_active;
	for (const struct thread *t = p->threads; t; t = t->next)
		if (&p->alike[t->confidence] == workers &&
			t->w->last_active + TOGETHER_NS >= last && t->w->last_active < first)
			first = t->w->last_active;
	return first;
}

/* Asked for each coroutine that waits. */
uint64_t crew_last_ts(struct process *p)
{
	if (!p->last_unknown)
		return p->last;
	p->last = 0;
	p->last_unknown = false;
	for (const struct thread *t = p->threads; t; t = t->next)
		if (t->w->last_ts > p->last)
			p->last = t->w->last_ts;
	return p->last;
}

void crew_end(struct process *p, uint64_t ts)
{
	struct thread *t, *next;

	for (t = p->threads; t; t = next) {
		next = t->next;
		if (t->w->last_ts > ts)		/* of what the process has become since */
			continue;
		if (!t->w->ended)
			/* what it did last stands for those it leaves behind */
			t->w->ended = ts;
		leave(t);
		p->last_unknown = true;
	}
	if (!p->threads)
		memset(p->alike, 0, sizeof(p->alike));
}
