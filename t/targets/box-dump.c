/* box-dump - a program that writes its box into a file itself: box-dump TIMES [crash|small|hop]
 *
 * Three threads make, move and end coroutines, 47 wait; SIGUSR1's handler, which interrupts any of them, writes the box into
 * `dumped`, TIMES times, each time into a new one. Prints what the last ct_dump() returned. crash: in the end it dies by SIGSEGV, whose
 * handler writes `crashed`. small: no file may be larger than 32 KiB. hop: the threads hand 24 coroutines to each other instead.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "ct.h"

static int over, dumps, result;

static void on_usr1(int sig)
{
	char path[] = "dumped.000";
	int n = __atomic_load_n(&dumps, __ATOMIC_RELAXED);

	(void)sig;
	path[7] = (char)('0' + n / 100 % 10);
	path[8] = (char)('0' + n / 10 % 10);
	path[9] = (char)('0' + n % 10);
	__atomic_store_n(&result, ct_dump(path), __ATOMIC_RELAXED);
	__atomic_store_n(&dumps, n + 1, __ATOMIC_RELEASE);
}

static void on_segv(int sig)
{
	signal(sig, SIG_DFL);
	ct_dump("crashed");
	raise(sig);
}

/* The flag of who runs it orders its moves. */
static void *hop(void *arg)
{
	static struct hopper { struct ct_coro ct; char taken; } all[24];
	unsigned i = (unsigned)(uintptr_t)arg, moves = 0;

	ct_thread(CT_WORKER, "hop");
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		struct hopper *h = &all[(i += 7) % 24];

		if (__atomic_exchange_n(&h->taken, 1, __ATOMIC_ACQUIRE))
			continue;
		if (!h->ct.id)
			ct_create(&h->ct, 0, CT_HERE, h, NULL);
		ct_resume(&h->ct);
		ct_suspend(&h->ct, CT_HERE, ct_fd(7));
		__atomic_store_n(&h->taken, 0, __ATOMIC_RELEASE);
		if (++moves % 16 == 0)
			usleep(100);
	}
	return arg;
}

static void *busy(void *arg)
{
	struct ct_coro co[8];
	int i;

	memset(co, 0, sizeof co);
	ct_thread(CT_WORKER, "busy");
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		for (i = 0; i < 8; i++)
			ct_create(&co[i], 0, CT_HERE, &co[i], "busy one");
		for (i = 0; i < 64; i++) {
			ct_resume(&co[i % 8]);
			ct_suspend(&co[i % 8], CT_HERE, ct_fd(i));
		}
		for (i = 0; i < 8; i++)
			ct_destroy(&co[i], 1);
		usleep(100);
	}
	return arg;
}

int main(int argc, char **argv)
{
	static struct ct_coro waits[47];
	static const struct rlimit small = { 32768, 32768 };
	int i, times = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t t[3];

	alarm(120);
	ct_init();
	signal(SIGUSR1, on_usr1);
	signal(SIGSEGV, on_segv);
	for (i = 0; i < 47; i++) {
		ct_create(&waits[i], 0, CT_HERE, &waits[i], "sleeper");
		ct_resume(&waits[i]);
		ct_suspend(&waits[i], CT_HERE, ct_fd(1000 + i));
	}
	for (i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, argc > 2 && !strcmp(argv[2], "hop") ? hop : busy, (void *)(uintptr_t)i))
			return 98;
	usleep(20000);
	if (argc > 2 && !strcmp(argv[2], "small"))
		setrlimit(RLIMIT_FSIZE, &small);
	for (i = 0; i < times; i++) {
		pthread_kill(t[i % 3], SIGUSR1);
		while (__atomic_load_n(&dumps, __ATOMIC_ACQUIRE) <= i)
			usleep(200);
		usleep(3000);
	}
	if (argc > 2 && !strcmp(argv[2], "crash"))
		pthread_kill(t[1], SIGSEGV);
	else
		__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", result);
	return 0;
}
