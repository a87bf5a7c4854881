/* rec-load - emit events in a given pattern and count them: rec-load COUNTFILE MODE [NUMBER ...] (table at the end). */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include "rec.h"

static uint64_t args[4];

struct coroutine {
	struct ct_coro ct;
	char busy;
};
static struct coroutine *coroutines;
static pthread_barrier_t barrier;

static void in_threads(unsigned n, void *(*body)(void *))
{
	pthread_t *threads = calloc(n, sizeof *threads);
	pthread_attr_t small;
	uintptr_t i;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 << 10);
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], &small, body, (void *)(i + 1)))
			exit(98);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	pthread_attr_destroy(&small);
}

static void create_all(uint64_t n)
{
	uint64_t i;

	coroutines = calloc(n, sizeof *coroutines);
	for (i = 0; i < n; i++) {
		ct_create(&coroutines[i].ct, 0, CT_HERE, &coroutines[i], NULL);
		emitted(0, 1);
	}
}

static void destroy_all(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		ct_destroy(&coroutines[i].ct, 1);
		emitted(0, 1);
	}
	free(coroutines);
}

/* Take any coroutine that nobody runs, run it: acquire and release of `busy` are the scheduler's order. */
static void *hopping(void *arg)
{
	uint64_t seed = (uintptr_t)arg * 0x9e3779b97f4a7c15ull, i = 0;
	unsigned who = (unsigned)(uintptr_t)arg;

	ct_thread(CT_WORKER, "hopper");
	while (i < args[2]) {
		struct coroutine *c = &coroutines[random_next(&seed) % args[1]];

		if (__atomic_exchange_n(&c->busy, 1, __ATOMIC_ACQUIRE))
			continue;
		ct_resume(&c->ct);
		if (i % 16 == 0) {
			ct_wake(c->ct.id, ct_fd(7));
			emitted(who, 1);
		}
		ct_suspend(&c->ct, CT_HERE, ct_fd(7));
		__atomic_store_n(&c->busy, 0, __ATOMIC_RELEASE);
		emitted(who, 2);
		i++;
	}
	return NULL;
}

static void stay(void)
{
	create_all(args[1]);
	in_threads((unsigned)args[0], hopping);
}

static void hop(void)
{
	stay();
	destroy_all(args[1]);
}

static void one_life(unsigned who, uint64_t pairs)
{
	struct ct_coro c = { 0 };

	ct_create(&c, 0, CT_HERE, &c, NULL);
	emitted(who, 1);
	while (pairs--) {
		ct_resume(&c);
		emitted(who, 1);
		ct_suspend(&c, CT_HERE, ct_timer(1));
		emitted(who, 1);
	}
	ct_destroy(&c, 0);
	emitted(who, 1);
}

static void *lives(void *arg)
{
	uint64_t i;

	for (i = 0; i < args[1]; i++)
		one_life((unsigned)(uintptr_t)arg, args[2]);
	return NULL;
}

static void sequence(void)
{
	in_threads((unsigned)args[0], lives);
}

static void live(void)
{
	create_all(args[0]);
	destroy_all(args[0]);
}

static void *short_thread(void *arg)
{
	one_life((unsigned)(uintptr_t)arg, 1);
	return NULL;
}

static void churn(void)
{
	uint64_t i;

	for (i = 0; i < args[0]; i += 8)
		in_threads(8, short_thread);
}

/* All threads live until each has emitted everything. */
static void *crowded(void *arg)
{
	pthread_barrier_wait(&barrier);
	one_life((unsigned)(uintptr_t)arg, args[1]);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void crowd(void)
{
	pthread_barrier_init(&barrier, NULL, (unsigned)args[0]);
	in_threads((unsigned)args[0], crowded);
}

static void *pulsing(void *arg)
{
	struct timespec nap = { 0, 1000000 };
	uint64_t i;

	for (i = 0; i < args[1]; i++) {
		one_life((unsigned)(uintptr_t)arg, 1);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

static void pulse(void)
{
	in_threads((unsigned)args[0], pulsing);
}

/* kill -9 of the whole process after args[1] microseconds, wherever its threads are. */
static void *killer(void *arg)
{
	struct timespec nap = { 0, (long)args[1] * 1000 };

	nanosleep(&nap, NULL);
	kill(getpid(), SIGKILL);
	return arg;
}

static void *endless(void *arg)
{
	uint64_t seed = (uintptr_t)arg * 0x9e3779b97f4a7c15ull;

	for (;;)
		one_life((unsigned)(uintptr_t)arg, random_next(&seed) % 8);
	return NULL;
}

static void killed(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, killer, NULL);
	in_threads((unsigned)args[0], endless);
}

static sem_t begun;

static void *endless_once_begun(void *arg)
{
	one_life((unsigned)(uintptr_t)arg, 1);
	sem_post(&begun);
	return endless(arg);
}

/* exit() while threads still emit. */
static void left(void)
{
	struct timespec nap = { 0, 20000000 };
	pthread_t thread;
	uintptr_t i;

	sem_init(&begun, 0, 0);

	for (i = 0; i < args[0]; i++)
		if (!pthread_create(&thread, NULL, endless_once_begun, (void *)(i + 1)))
			pthread_detach(thread);
	sem_wait(&begun);	/* on a busy machine none may have run by now */
	nanosleep(&nap, NULL);
	exit(7);
}

int main(int argc, char *argv[])
{
	static const struct { const char *name; void (*run)(void); } modes[] = {
		{ "hop", hop },			/* THREADS COROUTINES PAIRS-A-THREAD */
		{ "stay", stay },		/* the same, and none of them ends */
		{ "sequence", sequence },	/* THREADS COROUTINES-A-THREAD PAIRS-EACH, one after another */
		{ "live", live },		/* COROUTINES, all at once */
		{ "churn", churn },		/* THREADS, eight at a time */
		{ "crowd", crowd },		/* THREADS PAIRS-EACH, all at once */
		{ "pulse", pulse },		/* THREADS LIVES-EACH, a millisecond apart */
		{ "killed", killed },		/* THREADS MICROSECONDS */
		{ "left", left },		/* THREADS */
	};
	size_t i;

	for (i = 0; i < 4; i++)
		args[i] = arg_number(argc, argv, 3 + (int)i, 1);
	if (argc < 3)
		return 99;
	count_open(argv[1]);
	if (!ct_init())
		return 97;
	for (i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(argv[2], modes[i].name)) {
			modes[i].run();
			return 0;
		}
	return 99;
}
