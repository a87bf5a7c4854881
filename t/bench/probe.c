/* probe.c - what an event costs: ct_resume/ct_suspend against a bare loop of clock and 64-byte store, and untraced.
 *
 * The bare loop writes as many slots in memory of the same kind. The recorder is played by moving the tail now and then.
 * Prints "KEY NUMBER", ns an event. With the argument `stacks`: what a suspend with its call stack costs, of 10 and of 40
 * frames, against the walk of the compiler's runtime alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>
#include "attach.h"

enum { ROUNDS = 41 };
static struct ct_coro coro;

static uint64_t ticks(void)
{
#if defined __x86_64__
	return __builtin_ia32_rdtsc();
#elif defined __aarch64__
	uint64_t t;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
	return t;
#else
	return (uint64_t)(seconds() * 1e9);
#endif
}

static void bare(void)
{
	static uint64_t *mem;
	uint64_t i, k;

	if (!mem)
		mem = mmap(NULL, SLOTS * 64, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < EVENTS; i++) {
		volatile uint64_t *e = mem + i % SLOTS * 8;

		e[0] = ticks();
		for (k = 1; k < 8; k++)
			e[k] = i + k;
	}
}

static void enabled(void)
{
	uint64_t i, k;

	for (i = 0; i < EVENTS; i += 1024) {
		ctp_store(&ring->tail, ring->head);
		for (k = 0; k < 512; k++) {
			ct_resume(&coro);
			ct_suspend(&coro, CT_HERE, ct_fd(3));
		}
	}
}

static void empty(void)
{
	uint64_t i;

	for (i = 0; i < EVENTS; i++)
		__asm__ volatile("" ::: "memory");
}

static void disabled(void)
{
	uint64_t i;

	for (i = 0; i < EVENTS; i += 2) {
		ct_resume(&coro);
		__asm__ volatile("" ::: "memory");
		ct_suspend(&coro, CT_HERE, ct_fd(3));
		__asm__ volatile("" ::: "memory");
	}
}

static int order(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Medians of interleaved rounds, ns an event. */
static void measure(void (*one)(void), void (*other)(void), double *a, double *b)
{
	double t[2][ROUNDS], start;
	int i;

	for (i = -2; i < ROUNDS; i++) {
		start = seconds();
		one();
		t[0][i < 0 ? 0 : i] = seconds() - start;
		start = seconds();
		other();
		t[1][i < 0 ? 0 : i] = seconds() - start;
	}
	qsort(t[0], ROUNDS, sizeof **t, order);
	qsort(t[1], ROUNDS, sizeof **t, order);
	*a = t[0][ROUNDS / 2] * 1e9 / EVENTS;
	*b = t[1][ROUNDS / 2] * 1e9 / EVENTS;
}

static _Unwind_Reason_Code frame(struct _Unwind_Context *c, void *arg)
{
	*(uintptr_t *)arg ^= _Unwind_GetIP(c);
	return _URC_NO_REASON;
}

enum { STACKED = 512 };		/* a round is shorter than a time slice */
static int depth;

__attribute__((noinline)) static void at_depth(int more, void (*fn)(void))
{
	if (more)
		at_depth(more - 1, fn);
	else
		fn();
	__asm__ volatile("" ::: "memory");
}

static void suspends(void)
{
	int k;

	ctp_store(&ring->tail, ring->head);
	for (k = 0; k < STACKED; k++)
		ct_suspend(&coro, CT_HERE, ct_fd(3));
}

static void walks(void)
{
	static volatile uintptr_t sum;
	uintptr_t some = 0;
	int k;

	for (k = 0; k < STACKED; k++)
		_Unwind_Backtrace(frame, &some);
	sum = some;
	(void)sum;
}

static void stacked(void) { at_depth(depth, suspends); }
static void walked(void) { at_depth(depth, walks); }

/* suspends, at_depth, stacked, measure, both, main, two of libc, _start: nine around what depth adds. */
static void both(int frames)
{
	double a, b;

	depth = frames - 9;
	measure(stacked, walked, &a, &b);
	printf("stack-%d %.1f\nruntime-%d %.1f\n", frames, a * EVENTS / STACKED, frames, b * EVENTS / STACKED);
}

static void clocks(void)
{
	uint64_t i;

	for (i = 0; i < EVENTS; i++)
		(void)*(volatile uint64_t *)&(uint64_t){ ticks() };
}

int main(int argc, char **argv)
{
	double a, b;

	if (argc > 1 && !strcmp(argv[1], "ticks")) {
		measure(empty, clocks, &a, &b);
		printf("ticks %.2f\n", b - a);
		return 0;
	}

	if (argc > 1 && !strcmp(argv[1], "stacks")) {
		attach(CTP_F_STACKS);
		ct_create(&coro, 0, CT_NOWHERE, NULL, NULL);
		both(10);
		both(40);
		return 0;
	}
	measure(empty, disabled, &a, &b);
	printf("empty %.2f\ndisabled %.2f\n", a, b);
	attach(0);
	ct_create(&coro, 0, CT_NOWHERE, NULL, NULL);
	measure(bare, enabled, &a, &b);
	printf("bare %.2f\nenabled %.2f\n", a, b);
	return 0;
}
