/* fibers.c - what ct_switch costs: two fibers that switch to each other by swapcontext, "bare" or with the "probe".
 *
 * Prints "switch NUMBER", ns of this process's processor time for each switch.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include "ct.h"

enum { SWITCHES = 1000000 };

static struct ct_coro coros[2];
static ucontext_t at[2];
static int probed;

static void switch_from(int i)
{
	if (probed)
		ct_switch(&coros[i], &coros[!i]);
	swapcontext(&at[i], &at[!i]);
}

static void second(void)
{
	for (;;)
		switch_from(1);
}

static double used_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

int main(int argc, char **argv)
{
	static char stack[65536];
	double begin;

	probed = argc > 1 && !strcmp(argv[1], "probe");
	ct_init();
	for (int i = 0; i < 2; i++)
		ct_create(&coros[i], 0, CT_HERE, &at[i], "fiber");
	ct_resume(&coros[0]);
	getcontext(&at[1]);
	at[1].uc_stack.ss_sp = stack;
	at[1].uc_stack.ss_size = sizeof(stack);
	makecontext(&at[1], second, 0);
	begin = used_ns();
	for (int i = 0; i < SWITCHES / 2; i++)
		switch_from(0);
	printf("switch %.1f\n", (used_ns() - begin) / SWITCHES);
	return 0;
}
