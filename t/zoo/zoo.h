/* zoo.h - a toy M:N scheduler on real threads for the programs of the zoo, telling the probe what ct.h asks for.
 *
 * Each program has one bug, or is healthy and looks as if it had one; its second line says what ct-lostwake must prove:
 * `expect: closed-resource 3` or `expect: nothing proven`. The argument is the number of workers. Everything is under one
 * lock, Z, which is held across every switch of context, so that what is not the bug is right. All names have their
 * sound use below; a program makes its bug by doing itself, wrongly, what a call here does rightly.
 */
#ifndef ZOO_H
#define ZOO_H

#include <poll.h>
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

struct task {
	struct ct_coro ct;
	uint64_t id;			/* of the probe, beyond its end */
	ucontext_t context;
	struct task *next;
	void (*fn)(void *);
	void *arg;
	bool done;
	struct waiters { struct task *first, **last; } joiners;
	struct ct_on on;		/* what it waits on, for whoever wakes it */
	uint64_t deadline;		/* of a sleeper */
	int fd;				/* of one that waits for a descriptor */
};

enum { STACK = 64 << 10 };
static pthread_mutex_t Z = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, timed = PTHREAD_COND_INITIALIZER, rest = PTHREAD_COND_INITIALIZER;
static struct waiters ready, sleepers, readers;
static size_t queued, asleep, signalled;	/* in the ready queue; workers that wait for work; on their way out of that */
static bool stopping;
static int bell[2];
static int workers = 2;
static pthread_t worker_thread[64], timer_thread, reactor_thread;
static __thread struct task *running;
static __thread ucontext_t *home;

/* A thread-local's address must not be kept across a switch: the task may go on on another thread. */
static __attribute__((noinline)) struct task *self(void)
{
	struct task *t = running;

	__asm__ volatile("" : "+r"(t));
	return t;
}
static __attribute__((noinline)) ucontext_t *scheduler(void)
{
	ucontext_t *c = home;

	__asm__ volatile("" : "+r"(c));
	return c;
}

static void enter(void) { pthread_mutex_lock(&Z); }
static void leave(void) { pthread_mutex_unlock(&Z); }
static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static UNUSED void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }

static void put(struct waiters *w, struct task *t)
{
	if (!w->first)
		w->last = &w->first;
	t->next = NULL;
	*w->last = t;
	w->last = &t->next;
}
static struct task *take(struct waiters *w)
{
	struct task *t = w->first;

	if (t && !(w->first = t->next))
		w->last = &w->first;
	return t;
}
static UNUSED void take_this(struct waiters *w, struct task *t)
{
	struct task **at = &w->first;

	while (*at && *at != t)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = t->next;
	for (w->last = &w->first; *w->last;)
		w->last = &(*w->last)->next;
}

/* All of these under Z. */
static void push(struct task *t)
{
	put(&ready, t);
	queued++;
	signalled += signalled < asleep;
	pthread_cond_signal(&work);
}
static void wake(struct task *t)
{
	ct_wake(t->id, t->on);
	push(t);
}
static UNUSED bool wake_one(struct waiters *w)
{
	struct task *t = take(w);

	if (t)
		wake(t);
	return t != NULL;
}
static void switch_out(void) { swapcontext(&self()->context, scheduler()); }
static void block(struct waiters *w, struct ct_on on, struct ct_site *site)
{
	struct task *t = self();

	t->on = on;
	if (w)
		put(w, t);
	ct_suspend(&t->ct, site, on);
	switch_out();
}

/* From here on calls take Z themselves. */
static void task_main(void)
{
	struct task *t = self();

	leave();
	t->fn(t->arg);
	enter();
	t->done = true;
	while (wake_one(&t->joiners))
		;
	ct_destroy(&t->ct, 1);
	switch_out();
}
/* Create it, and nothing more. */
static struct task *spawn(void (*fn)(void *), void *arg, const char *name)
{
	struct task *t = calloc(1, sizeof(*t));

	t->fn = fn;
	t->arg = arg;
	t->fd = -1;
	getcontext(&t->context);
	t->context.uc_stack.ss_sp = malloc(STACK);
	t->context.uc_stack.ss_size = STACK;
	makecontext(&t->context, task_main, 0);
	ct_create(&t->ct, ct_current(), CT_HERE, t, name);
	t->id = t->ct.id;
	return t;
}
static UNUSED struct task *go(void (*fn)(void *), void *arg, const char *name)
{
	struct task *t = spawn(fn, arg, name);

	enter();
	wake(t);
	leave();
	return t;
}
static UNUSED void yield(void)
{
	enter();
	self()->on = ct_nothing();
	ct_suspend(&self()->ct, CT_HERE, ct_nothing());
	wake(self());
	switch_out();
	leave();
}
#define join(t) do { struct task *of_ = (t); enter(); \
	if (!of_->done) block(&of_->joiners, ct_join(of_->id), CT_HERE); \
	leave(); } while (0)

static void run(struct task *t)
{
	running = t;
	ct_resume(&t->ct);
	swapcontext(home, &t->context);
	running = NULL;
	if (t->done)
		free(t->context.uc_stack.ss_sp);	/* the task itself may be joined yet */
}
static void *worker(void *arg)
{
	ucontext_t context;

	(void)arg;
	home = &context;
	ct_thread(CT_WORKER, "worker");
	enter();
	while (!stopping) {
		if (!queued) {
			ct_park(0);
			asleep++;
			pthread_cond_broadcast(&rest);
			while (!queued && !stopping) {
				pthread_cond_wait(&work, &Z);
				signalled -= signalled > 0;
				pthread_cond_broadcast(&rest);
			}
			asleep--;
			ct_unpark(queued);
			continue;
		}
		queued--;
		struct task *t = take(&ready);
		if (t)
			run(t);
	}
	leave();
	return NULL;
}

static void *timer(void *arg)
{
	(void)arg;
	ct_thread(CT_OTHER, "timer");
	enter();
	while (!stopping) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 2000000;
		if (until.tv_nsec >= 1000000000)
			until.tv_sec++, until.tv_nsec -= 1000000000;
		pthread_cond_timedwait(&timed, &Z, &until);
		for (struct task *t = sleepers.first, *next; t; t = next) {
			next = t->next;
			if (t->deadline <= now())
				take_this(&sleepers, t), wake(t);
		}
	}
	leave();
	return NULL;
}
#define sleep_ms(ms) do { enter(); self()->deadline = now() + (ms) * 1000000ull; \
	block(&sleepers, ct_timer(self()->deadline), CT_HERE); leave(); } while (0)

static void *reactor(void *arg)
{
	char byte;

	(void)arg;
	ct_thread(CT_OTHER, "reactor");
	enter();
	while (!stopping) {
		struct pollfd p[256] = { { bell[0], POLLIN, 0 } };
		int n = 1;

		for (struct task *t = readers.first; t && n < 256; t = t->next)
			p[n++] = (struct pollfd){ t->fd, POLLIN, 0 };
		leave();
		poll(p, n, -1);
		enter();
		if (p[0].revents && read(bell[0], &byte, 1) != 1)
			break;
		for (struct task *t = readers.first, *next; t; t = next) {
			next = t->next;
			for (int i = 1; i < n; i++)
				if (p[i].fd == t->fd && p[i].revents & (POLLIN | POLLHUP)) {
					take_this(&readers, t), wake(t);
					break;
				}
		}
	}
	leave();
	return NULL;
}
static UNUSED void ring(void) { if (write(bell[1], "!", 1) != 1) abort(); }
#define readable(descriptor) do { enter(); self()->fd = (descriptor); ring(); \
	block(&readers, ct_fd(descriptor), CT_HERE); leave(); } while (0)
static UNUSED void pair(int fd[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) != 0)
		abort();
	ct_open(ct_fd(fd[0]), "a");
	ct_open(ct_fd(fd[1]), "b");
}
static UNUSED void close_fd(int fd)
{
	enter();
	for (struct task *t = readers.first, *next; t; t = next) {
		next = t->next;
		if (t->fd == fd)
			take_this(&readers, t), wake(t);
	}
	ct_close(ct_fd(fd));
	close(fd);
	leave();
}

/* Items are only counted. */
struct chan { uint64_t items; bool closed; struct waiters waiting; };
static UNUSED void chan_send(struct chan *c)
{
	enter();
	ct_level(ct_chan(c), ++c->items);
	wake_one(&c->waiting);
	leave();
}
#define chan_recv(c) chan_recv_at(c, CT_HERE)
static UNUSED bool chan_recv_at(struct chan *c, struct ct_site *site)
{
	bool got;

	enter();
	while (!c->items && !c->closed)
		block(&c->waiting, ct_chan(c), site);
	got = c->items;
	if (got)
		ct_level(ct_chan(c), --c->items);
	leave();
	return got;
}
static UNUSED void chan_close(struct chan *c)
{
	enter();
	c->closed = true;
	ct_close(ct_chan(c));
	while (wake_one(&c->waiting))
		;
	leave();
}

struct sem { uint64_t permits; struct waiters waiting; };
#define sem_take(s) do { enter(); while (!(s)->permits) block(&(s)->waiting, ct_sem(s), CT_HERE); \
	ct_level(ct_sem(s), --(s)->permits); leave(); } while (0)
static UNUSED void sem_give(struct sem *s)
{
	enter();
	ct_level(ct_sem(s), ++s->permits);
	wake_one(&s->waiting);
	leave();
}

struct lock { bool held; struct waiters waiting; };
#define lock_take(l) do { enter(); while ((l)->held) block(&(l)->waiting, ct_mutex(l), CT_HERE); \
	(l)->held = true; ct_acquire(ct_mutex(l)); leave(); } while (0)
static UNUSED void lock_give(struct lock *l)
{
	enter();
	l->held = false;
	ct_release(ct_mutex(l));
	wake_one(&l->waiting);
	leave();
}

/* A task that takes the lock and gives it back. */
static UNUSED void use_lock(void *l)
{
	lock_take((struct lock *)l);
	lock_give(l);
}

/* As every condition variable: who waits later was not notified. */
struct cond { struct waiters waiting; };
#define cond_wait(c, l) do { lock_give(l); enter(); block(&(c)->waiting, ct_cond(c), CT_HERE); leave(); lock_take(l); } while (0)
static UNUSED void cond_signal(struct cond *c)
{
	enter();
	ct_notify(ct_cond(c), wake_one(&c->waiting));
	leave();
}

/* Nobody goes on before all have come. */
struct gate { int missing; struct waiters waiting; };
static UNUSED bool come(struct gate *g)	/* the last one: all go on */
{
	if (--g->missing)
		return false;
	while (wake_one(&g->waiting))
		;
	return true;
}
#define meet(g) do { enter(); if (!come(g)) { block(&(g)->waiting, ct_user("the others"), CT_HERE); } leave(); } while (0)

/* Run fn on a thread of its own and wait for it: a race that always ends the same way. */
static UNUSED void elsewhere(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, fn, arg) != 0 || pthread_join(t, NULL) != 0)
		abort();
}

/* From the main thread: until whatever can run has run, so that on the busiest machine what follows comes after it. */
static void settle(void)
{
	enter();
	while (queued || signalled || asleep < (size_t)workers)
		pthread_cond_wait(&rest, &Z);
	leave();
}

static void zoo_start(int argc, char **argv)
{
	if (argc > 1)
		workers = atoi(argv[1]);
	ct_init();
	if (pipe(bell) != 0)
		abort();
	for (int i = 0; i < workers; i++)
		pthread_create(&worker_thread[i], NULL, worker, NULL);
	pthread_create(&timer_thread, NULL, timer, NULL);
	pthread_create(&reactor_thread, NULL, reactor, NULL);
	settle();	/* that they were slow to begin is no delay of a task's */
}
/* Let it go on for so long; then stop all threads. Whoever waits still is left as it is. */
static UNUSED int zoo_stop(long ms)
{
	pause_ms(ms);
	enter();
	stopping = true;
	pthread_cond_broadcast(&work);
	pthread_cond_broadcast(&timed);
	ring();
	leave();
	for (int i = 0; i < workers; i++)
		pthread_join(worker_thread[i], NULL);
	pthread_join(timer_thread, NULL);
	pthread_join(reactor_thread, NULL);
	return 0;
}
/* The same for those that come to rest: for longer than the grace. */
static UNUSED int zoo_end(void)
{
	settle();
	return zoo_stop(400);
}
#endif
