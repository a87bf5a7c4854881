/* box-spin - a program that keeps a box, to be attached to: box-spin THREADS PAUSE_US SLEEPERS [MODE]
 *
 * SLEEPERS coroutines suspend on fd 1000 and up and never move. Each of THREADS threads resumes and suspends a coroutine of its
 * own, with a pause after every 64 events, until there is a file `stop` in the directory, or for 60 s. MODE: fork, a child does
 * the same; churn, threads end after 200 events and others follow; forks, both; live, coroutines are created and destroyed; box,
 * the code asks for the box by itself; start, by ct_start(); names, 40000 coroutines came and went, each with a name of its own
 * of 1000 bytes; exec, it executes itself without a mode when there is a file `exec`, and removes that; headless, the main thread
 * ends before the others; woken, another thread wakes the coroutine while its worker sleeps, which gets up after the pause (of one
 * thread). Writes its pid into `pid` when all of that runs, and `emitted N` at the end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ct.h"

static long pause_us;
static int churn, live, woken, over;
static uint64_t emitted, to_wake;

static void nap(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

static void *wake(void *arg)
{
	uint64_t id;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		if ((id = __atomic_load_n(&to_wake, __ATOMIC_RELAXED))) {
			ct_wake(id, ct_sem(&to_wake));
			__atomic_store_n(&to_wake, 0, __ATOMIC_RELAXED);
		}
		nap(100);
	}
	return arg;
}

static void sleep_until_woken(uint64_t id)
{
	ct_park(0);
	__atomic_store_n(&to_wake, id, __ATOMIC_RELAXED);
	while (__atomic_load_n(&to_wake, __ATOMIC_RELAXED) && !__atomic_load_n(&over, __ATOMIC_RELAXED))
		nap(100);
	nap(pause_us);
	ct_unpark(1);
}

static uint64_t bout(void)
{
	struct ct_coro co = { 0 };
	uint64_t n = 2;

	ct_create(&co, 0, CT_HERE, &co, "spinner");
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		ct_resume(&co);
		ct_suspend(&co, CT_HERE, ct_sem(&to_wake));
		n += 2;
		if (woken)
			sleep_until_woken(co.id);
		else if (n % 64 == 0 && pause_us)
			nap(pause_us);
		if (n > 200 && (churn || live))
			break;
	}
	ct_destroy(&co, 1);
	return n + 1;
}

static void *spin(void *arg)
{
	(void)arg;
	ct_thread(CT_WORKER, "spinner");
	do
		__atomic_fetch_add(&emitted, bout(), __ATOMIC_RELAXED);
	while (live && !__atomic_load_n(&over, __ATOMIC_RELAXED));
	return NULL;
}

static void *follow(void *arg)
{
	pthread_t t;

	(void)arg;
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		if (pthread_create(&t, NULL, spin, NULL))
			exit(98);
		pthread_join(t, NULL);
	}
	return NULL;
}

/* More than a box has room for. */
static void use_up_names(void)
{
	char name[1000];
	int i;

	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = 0;
	for (i = 0; i < 40000; i++) {
		struct ct_coro co = { 0 };

		name[sprintf(name, "%d", i)] = ' ';
		ct_create(&co, 0, CT_HERE, &co, name);
		ct_destroy(&co, 1);
	}
}

static void execute_again(char **argv)
{
	unlink("pid");
	unlink("exec");
	argv[4] = NULL;
	execv("/proc/self/exe", argv);
	exit(96);
}

static void run(int threads, char **again)
{
	pthread_t t[64];
	int i, turns;

	for (i = 0; i < threads && i < 64; i++)
		if (pthread_create(&t[i], NULL, churn ? follow : spin, NULL))
			exit(98);
	for (turns = 0; turns < 6000 && access("stop", F_OK) != 0; turns++) {
		if (again && access("exec", F_OK) == 0)
			execute_again(again);
		nap(10000);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (i = 0; i < threads && i < 64; i++)
		pthread_join(t[i], NULL);
}

static void write_pid(void)
{
	FILE *f = fopen("pid.part", "w");

	if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) || rename("pid.part", "pid"))
		exit(97);
}

struct rest { int threads; pthread_t main_thread; };

static void *run_headless(void *arg)
{
	const struct rest *r = arg;

	pthread_join(r->main_thread, NULL);
	write_pid();
	run(r->threads, NULL);
	printf("emitted %llu\n", (unsigned long long)emitted);
	exit(0);
}

static void leave_main(int threads)
{
	static struct rest rest;
	pthread_t t;

	rest = (struct rest){ threads, pthread_self() };
	if (pthread_create(&t, NULL, run_headless, &rest))
		exit(98);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1, sleepers = argc > 3 ? atoi(argv[3]) : 0, i;
	const char *mode = argc > 4 ? argv[4] : "";
	static struct ct_coro *co;		/* which is no leak, however this ends */
	pthread_t waker;
	pid_t child = 0;
	int own = 1;

	co = calloc((size_t)sleepers + 1, sizeof *co);
	pause_us = argc > 2 ? atol(argv[2]) : 0;
	churn = !strcmp(mode, "churn") || !strcmp(mode, "forks");
	live = !strcmp(mode, "live");
	woken = !strcmp(mode, "woken") && !pthread_create(&waker, NULL, wake, NULL);
	if (!strcmp(mode, "box"))
		ct_box(NULL);
	else if (!strcmp(mode, "start"))
		ct_start();
	else
		ct_init();
	if (!strcmp(mode, "names"))
		use_up_names();
	for (i = 0; i < sleepers; i++) {
		ct_create(&co[i], 0, CT_HERE, &co[i], "sleeper");
		ct_resume(&co[i]);
		ct_suspend(&co[i], CT_HERE, ct_fd(1000 + i));
		emitted += 4;
	}
	if (!strncmp(mode, "fork", 4) && !(child = fork()))
		own = 0;
	if (!strcmp(mode, "headless"))
		leave_main(threads);
	if (own)
		write_pid();
	run(threads, strcmp(mode, "exec") ? NULL : argv);
	if (child)
		waitpid(child, NULL, 0);
	printf("emitted %llu\n", (unsigned long long)emitted);
	return 0;
}
