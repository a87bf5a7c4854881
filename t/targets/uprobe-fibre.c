/* uprobe-fibre - fibres with stacks of their own (ucontext) on two threads, which never heard of a probe, for ct-uprobe's tests.
 * Half of them yield, half sleep until another wakes them. argv: fibres; "drop": from a line on standard input on, the wakes of
 * one fibre, whose address is printed, are forgotten. At the end of the input all end, and "resumed N" is printed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* built by the test itself, too */
#endif
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __clang__
#define HIDDEN __attribute__((noinline))
#else
#define HIDDEN __attribute__((noinline, noclone))
#endif
enum { STACK = 65536 };

struct fibre {
	ucontext_t here, *back;
	struct fibre *next, *friend;
	bool sleeps, queued, over, woken;
	char stack[STACK];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static struct fibre *first, **last = &first, *dropped;
static bool stopping;
static long resumed;
static int alive;
static __thread struct fibre *current;

HIDDEN struct fibre *running(void)	/* it may go on on another thread */
{
	__asm__ volatile("");
	return current;
}

static void push(struct fibre *f)
{
	f->queued = true;
	f->next = NULL;
	*last = f;
	last = &f->next;
	pthread_cond_signal(&some);
}

/* With the lock held, and never of one that is over: a wake would tell of a fibre that is new there. */
HIDDEN void fibre_wake(const char *why, struct fibre *f)
{
	(void)why;
	f->woken = true;
	if (f != dropped && !f->queued)
		push(f);
}

static void wake(const char *why, struct fibre *f)
{
	pthread_mutex_lock(&lock);
	if (!f->over)
		fibre_wake(why, f);
	pthread_mutex_unlock(&lock);
}

HIDDEN void fibre_suspend(struct fibre *f)
{
	swapcontext(&f->here, f->back);
}

HIDDEN void fibre_resume(struct fibre *f)
{
	ucontext_t mine;

	f->back = &mine;
	current = f;
	swapcontext(&mine, &f->here);
	current = NULL;
}

HIDDEN void fibre_end(struct fibre *f)
{
	f->over = true;
}

static void body(void)
{
	while (!stopping) {
		struct fibre *f = running();

		if (f->friend)
			wake("friend", f->friend);
		f->woken = f->woken && f->sleeps;
		fibre_suspend(f);
	}
	pthread_mutex_lock(&lock);
	fibre_end(running());
	pthread_mutex_unlock(&lock);
	for (;;)
		fibre_suspend(running());
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		struct fibre *f;

		while (!first && !(stopping && !alive))
			pthread_cond_wait(&some, &lock);
		if (!first)
			break;
		f = first;
		first = f->next;
		if (!first)
			last = &first;
		f->woken = false;
		resumed++;
		pthread_mutex_unlock(&lock);
		fibre_resume(f);
		if (!stopping)
			usleep(300);
		pthread_mutex_lock(&lock);
		f->queued = false;
		if (f->over) {
			alive--;
			pthread_cond_broadcast(&some);
		} else if (!f->sleeps || f->woken) {
			push(f);
		}
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 8;
	static struct fibre *f;
	pthread_t thread[2];
	char line[32];

	alive = count;
	f = calloc(count, sizeof(*f));
	for (int i = 0; i < count; i++) {
		getcontext(&f[i].here);
		f[i].here.uc_stack.ss_sp = f[i].stack;
		f[i].here.uc_stack.ss_size = STACK;
		makecontext(&f[i].here, body, 0);
		f[i].sleeps = i % 2;
		f[i].friend = i % 2 ? NULL : &f[i + 1 < count ? i + 1 : i];
	}
	for (int i = 0; i < count; i++)
		push(&f[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	printf("ready\n");
	fflush(stdout);
	if (fgets(line, sizeof line, stdin) && argc > 2 && !strcmp(argv[2], "drop")) {
		pthread_mutex_lock(&lock);
		dropped = &f[1];
		/* Nothing else runs any more. */
		for (int i = 0; i < count; i++)
			f[i].sleeps = true;
		for (int i = 0; i < count; i++)
			f[i].friend = NULL;
		pthread_mutex_unlock(&lock);
		usleep(500000);
		wake("main", dropped);
		printf("dropped %p\n", (void *)dropped);
		fflush(stdout);
	}
	while (fgets(line, sizeof line, stdin))
		;
	pthread_mutex_lock(&lock);
	stopping = true;
	dropped = NULL;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < count; i++)
		wake("end", &f[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("resumed %ld\n", resumed);
	return 0;
}
