/* pub.h - a second small runtime, for programs after published bugs: a queue for each worker and one for
 * plain threads, time limits, cancellation, and waits for several things at once.
 *
 * Each program does what a public issue tells, and with `mended` as its second argument what the fix made
 * of it: then no verdict may stand. What it records is what ct.h asks of any runtime; nothing here was
 * written for a rule. All state is under one lock, R, that is held across switches, so that what is not the
 * bug is right.
 */
#ifndef PUB_H
#define PUB_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "ct.h"

#define UNUSED __attribute__((unused))
enum why { WOKEN, LATE, CANCELLED };
enum { LEGS = 4, WORKERS = 8, PUB_STACK = 64 << 10 };

struct task;
struct leg { struct leg *next; struct task *task; struct wl *in; struct ct_on on; };
struct wl { struct leg *first; };		/* who waits, in order */
struct task {
	struct ct_coro ct;
	uint64_t id;
	ucontext_t context;
	struct task *next;
	void (*fn)(void *);
	void *arg;
	enum { WAITING, QUEUED, RUNS, OVER } state;
	bool cancelled, stop;
	enum why why;
	int woken_by;			/* which leg */
	struct leg leg[LEGS];
	int legs;
	uint64_t deadline;		/* 0 = none */
	struct task *sleeper;		/* next with a deadline */
	struct wl joiners;
	void *scratch;			/* the program's */
};
struct queue { struct task *first, **last; size_t n; };
struct worker { pthread_t thread; pthread_cond_t bell; struct queue own; bool parked; int index; };

static pthread_mutex_t R = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rest = PTHREAD_COND_INITIALIZER;
static struct worker worker[WORKERS];
static struct queue outside;			/* what plain threads and timers make runnable */
static struct task *sleepers;
static size_t queued, parked;
static int workers = 2;
static bool stopping, mended;
static __thread struct task *running;
static __thread ucontext_t *home;
static __thread struct worker *me;

/* Thread-locals, read anew after each switch: the task may go on on another thread. */
#define ANEW(type, name, variable) \
	static __attribute__((noinline)) type *name(void) { type *p = variable; __asm__ volatile("" : "+r"(p)); return p; }
ANEW(struct task, self, running)
ANEW(ucontext_t, base, home)
ANEW(struct worker, worker_here, me)
static void enter(void) { pthread_mutex_lock(&R); }
static void leave(void) { pthread_mutex_unlock(&R); }
static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
static UNUSED void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }

/* All below are called under R, but for those that say otherwise. */
static void put(struct queue *q, struct task *t)
{
	if (!q->first)
		q->last = &q->first;
	t->next = NULL;
	*q->last = t;
	q->last = &t->next;
	q->n++;
}
static struct task *take(struct queue *q)
{
	struct task *t = q->first;

	if (t) {
		q->first = t->next;
		q->n--;
	}
	return t;
}
static void ring_one(void)
{
	for (int i = 0; i < workers; i++)
		if (worker[i].parked) {
			worker[i].parked = false;	/* it rests no more, though it has yet to get up */
			parked--;
			pthread_cond_signal(&worker[i].bell);
			return;
		}
}
static void push(struct task *t)
{
	t->state = QUEUED;
	put(worker_here() ? &worker_here()->own : &outside, t);
	queued++;
	ring_one();
}
static void unlink_leg(struct leg *l)
{
	struct leg **at = l->in ? &l->in->first : NULL;

	while (at && *at && *at != l)
		at = &(*at)->next;
	if (at && *at)
		*at = l->next;
	l->in = NULL;
}
static void forget(struct task *t)		/* it waits no more */
{
	for (int i = 0; i < t->legs; i++)
		unlink_leg(&t->leg[i]);
	for (struct task **at = &sleepers; *at; at = &(*at)->sleeper)
		if (*at == t) {
			*at = t->sleeper;
			break;
		}
}
static void resume_with(struct task *t, enum why why, int leg, struct ct_on on)
{
	if (t->state != WAITING)
		return;
	forget(t);
	t->why = why;
	t->woken_by = leg;
	ct_wake(t->id, on);
	push(t);
}
static UNUSED struct task *wake_first(struct wl *w)
{
	struct leg *l = w->first;
	struct task *t = l ? l->task : NULL;

	if (t)
		resume_with(t, WOKEN, (int)(l - t->leg), l->on);
	return t;
}
static UNUSED void wake_all(struct wl *w) { while (wake_first(w)) ; }
static UNUSED void add_leg(struct task *t, struct wl *w, struct ct_on on)
{
	struct leg *l = &t->leg[t->legs++], **at;

	*l = (struct leg){ NULL, t, w, on };
	for (at = &w->first; *at; at = &(*at)->next)
		;
	*at = l;
}
enum how { ONE, ANY_OF, ALL_OF };
/* Wait on the legs that were added, and for no longer than until the deadline. */
static UNUSED enum why block_as(enum how how, struct ct_on on, uint64_t deadline, struct ct_site *site)
{
	struct task *t = self();

	if (t->stop) {
		forget(t);
		t->legs = 0;
		return CANCELLED;
	}
	t->state = WAITING;
	t->deadline = deadline;
	if (deadline) {
		t->sleeper = sleepers;
		sleepers = t;
		ring_one();		/* for its time */
	}
	if (how == ONE) {
		ct_suspend(&t->ct, site, on);
	} else {
		struct ct_leg legs[LEGS + 1];
		int n = 0;

		for (; n < t->legs; n++)
			legs[n] = (struct ct_leg){ .on = t->leg[n].on, .here = site };
		if (deadline)
			legs[n++] = (struct ct_leg){ .on = ct_timer(deadline), .here = site };
		if (how == ANY_OF)
			ct_suspend_any(&t->ct, site, legs, (size_t)n);
		else
			ct_suspend_all(&t->ct, site, legs, (size_t)n);
	}
	swapcontext(&self()->context, base());
	self()->legs = 0;
	return self()->why;
}
static UNUSED enum why block(struct ct_on on, uint64_t deadline, struct ct_site *site)
{
	return block_as(ONE, on, deadline, site);
}
#define wait_for(w, on) (add_leg(self(), w, on), block(on, 0, CT_HERE))
/* A time limit is another thing that may wake it: so it names none, as ct.h has it. */
#define wait_until(w, on, ms) (add_leg(self(), w, on), \
	block(ct_any((on).kind), now() + (ms) * 1000000ull, CT_HERE))
static UNUSED void cancel(struct task *t)	/* as asyncio does: it runs once more, and learns of it */
{
	t->stop = true;
	resume_with(t, CANCELLED, -1, ct_nothing());
}
static UNUSED void drop(struct task *t)		/* as Rust does: it never runs again */
{
	if (t->state == QUEUED) {
		struct queue *q = NULL;

		for (int i = -1; i < workers && !q; i++)
			for (struct task *x = (i < 0 ? &outside : &worker[i].own)->first; x; x = x->next)
				if (x == t)
					q = i < 0 ? &outside : &worker[i].own;
		if (q) {
			struct task *x;
			struct queue rest_of = { NULL, NULL, 0 };

			while ((x = take(q)))
				if (x != t)
					put(&rest_of, x);
			*q = rest_of;
			if (!q->first)
				q->last = &q->first;
			queued--;
		}
	}
	forget(t);
	t->state = OVER;
	ct_destroy(&t->ct, 0);
	wake_all(&t->joiners);
}

static void task_main(void)			/* from here on calls take R themselves */
{
	struct task *t = self();

	leave();
	t->fn(t->arg);
	enter();
	t->state = OVER;
	wake_all(&t->joiners);
	ct_destroy(&t->ct, !t->cancelled);
	swapcontext(&self()->context, base());
}
static struct task *make(void (*fn)(void *), void *arg, const char *name)
{
	struct task *t = calloc(1, sizeof(*t));

	t->fn = fn;
	t->arg = arg;
	getcontext(&t->context);
	t->context.uc_stack.ss_sp = malloc(PUB_STACK);
	t->context.uc_stack.ss_size = PUB_STACK;
	makecontext(&t->context, task_main, 0);
	ct_create(&t->ct, ct_current(), CT_HERE, t, name);
	t->id = t->ct.id;
	return t;
}
static UNUSED struct task *go(void (*fn)(void *), void *arg, const char *name)
{
	struct task *t = make(fn, arg, name);

	enter();
	ct_wake(t->id, ct_nothing());
	push(t);
	leave();
	return t;
}
static UNUSED void give_way(void)		/* once around the queue */
{
	enter();
	struct task *t = self();

	ct_suspend(&t->ct, CT_HERE, ct_nothing());
	ct_wake(t->id, ct_nothing());
	push(t);
	swapcontext(&self()->context, base());
	leave();
}
#define sleep_ms(ms) do { uint64_t until_ = now() + (ms) * 1000000ull; \
	enter(); block(ct_timer(until_), until_, CT_HERE); leave(); } while (0)
#define join(t) do { struct task *of_ = (t); enter(); \
	if (of_->state != OVER) wait_for(&of_->joiners, ct_join(of_->id)); \
	leave(); } while (0)

/* Wake whose time has come; when the next one's does, 0 = never. */
static uint64_t run_timers(void)
{
	uint64_t next = 0;

	for (struct task *t = sleepers, *after; t; t = after) {
		after = t->sleeper;
		if (t->deadline <= now())
			resume_with(t, LATE, -1, t->legs ? ct_nothing() : ct_timer(t->deadline));
		else if (!next || t->deadline < next)
			next = t->deadline;
	}
	return next;
}
static UNUSED bool (*skips)(struct task *);	/* one that the program takes from the queue and does not run */
static struct task *find_work(struct worker *w)
{
	struct task *t = take(&w->own);

	if (!t)
		t = take(&outside);
	for (int i = 0; i < workers && !t; i++)
		t = take(&worker[i].own);
	queued -= t != NULL;
	return t;
}
static void park(struct worker *w, uint64_t until)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	ct_park(0);
	w->parked = true;
	parked++;
	pthread_cond_broadcast(&rest);
	if (until) {
		uint64_t in = until > now() ? until - now() : 0;

		at.tv_sec += (time_t)(in / 1000000000);
		at.tv_nsec += (long)(in % 1000000000);
		if (at.tv_nsec >= 1000000000)
			at.tv_sec++, at.tv_nsec -= 1000000000;
		pthread_cond_timedwait(&w->bell, &R, &at);
	} else {
		pthread_cond_wait(&w->bell, &R);
	}
	if (w->parked) {
		w->parked = false;
		parked--;
	}
	ct_unpark(queued);
}
static void *work(void *arg)
{
	struct worker *w = arg;
	ucontext_t context;

	home = &context;
	me = w;
	ct_thread(CT_WORKER, "worker");
	enter();
	while (!stopping) {
		uint64_t next = run_timers();
		struct task *t = find_work(w);

		if (!t) {
			park(w, next);
			continue;
		}
		if (skips && skips(t)) {
			ct_dequeue(t->id);
			continue;
		}
		t->state = RUNS;
		running = t;
		ct_resume(&t->ct);
		swapcontext(&context, &t->context);
		running = NULL;
	}
	leave();
	return NULL;
}
static void settle(void)				/* from main: until whatever can run has run */
{
	enter();
	while (queued || parked < (size_t)workers)
		pthread_cond_wait(&rest, &R);
	leave();
}
static void pub_start(int argc, char **argv)
{
	if (argc > 1)
		workers = atoi(argv[1]);
	mended = argc > 2 && !strcmp(argv[2], "mended");
	ct_init();
	for (int i = 0; i < workers; i++) {
		pthread_cond_init(&worker[i].bell, NULL);
		worker[i].index = i;
	}
	for (int i = 0; i < workers; i++)
		pthread_create(&worker[i].thread, NULL, work, &worker[i]);
	settle();				/* that they were slow to begin is no delay of a task's */
}
static UNUSED int pub_end(long ms)		/* go on for so long, then stop the workers */
{
	settle();
	pause_ms(ms);
	enter();
	stopping = true;
	for (int i = 0; i < workers; i++)
		pthread_cond_broadcast(&worker[i].bell);
	leave();
	for (int i = 0; i < workers; i++)
		pthread_join(worker[i].thread, NULL);
	return 0;
}
enum { SOME = 300 };				/* ms: longer than the grace */

/* The first who waits is woken, and the lock goes to whoever comes first. Calls take R themselves. */
struct lock { bool held; struct wl wl; };
#define lock_get(l) do { enter(); while ((l)->held) wait_for(&(l)->wl, ct_mutex(l)); \
	(l)->held = true; ct_acquire(ct_mutex(l)); leave(); } while (0)
static UNUSED void lock_put(struct lock *l)
{
	enter();
	l->held = false;
	ct_release(ct_mutex(l));
	wake_first(&l->wl);
	leave();
}
struct sem { uint64_t n; struct wl wl; };
#define sem_get(s) do { enter(); while (!(s)->n) wait_for(&(s)->wl, ct_sem(s)); \
	ct_level(ct_sem(s), --(s)->n); leave(); } while (0)
static UNUSED void sem_put(struct sem *s)
{
	enter();
	ct_level(ct_sem(s), ++s->n);
	wake_first(&s->wl);
	leave();
}
/* A channel of so many places; items are only counted. */
struct chan { uint64_t n, room; bool closed; struct wl in, out; };
#define chan_put(c) do { enter(); while ((c)->n == (c)->room) wait_for(&(c)->in, ct_chan(c)); \
	ct_level(ct_chan(c), ++(c)->n); wake_first(&(c)->out); leave(); } while (0)
#define chan_get(c) ({ bool got_; enter(); \
	while (!(c)->n && !(c)->closed) wait_for(&(c)->out, ct_chan(c)); \
	got_ = (c)->n; if (got_) { ct_level(ct_chan(c), --(c)->n); wake_first(&(c)->in); } \
	leave(); got_; })
static UNUSED void chan_close(struct chan *c)
{
	enter();
	c->closed = true;
	ct_close(ct_chan(c));
	wake_all(&c->out);
	wake_all(&c->in);
	leave();
}
struct cond { struct wl wl; };
#define cond_wait(c, l) do { enter(); (l)->held = false; ct_release(ct_mutex(l)); wake_first(&(l)->wl); \
	wait_for(&(c)->wl, ct_cond(c)); leave(); lock_get(l); } while (0)
static UNUSED void cond_signal(struct cond *c)
{
	enter();
	ct_notify(ct_cond(c), wake_first(&c->wl) != NULL);
	leave();
}
static UNUSED void cond_broadcast(struct cond *c)
{
	uint64_t n = 0;

	enter();
	while (wake_first(&c->wl))
		n++;
	ct_notify(ct_cond(c), n);
	leave();
}
#endif
