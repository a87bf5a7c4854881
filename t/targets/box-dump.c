/* box-dump - a program that writes its box into a file itself: box-dump TIMES [crash|small]
 *
 * Three threads make, move and end coroutines, 47 wait; SIGUSR1's handler, which interrupts any of them, writes the box into
 * `dumped`, TIMES times, each time into a new one. Prints what the last ct_dump() returned. crash: in the end it dies by SIGSEGV, whose
 * handler writes `crashed`. small: no file may be larger than 32 KiB.
 */
#include <pthread.h>
#include <signal.h>
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
		if (pthread_create(&t[i], NULL, busy, NULL))
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
