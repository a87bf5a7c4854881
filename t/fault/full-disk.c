/* full-disk.c - preloaded: a file gets blocks once, and then its disk is full. How often it was asked in vain stands in the file
 * `refused` at exit. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/types.h>

static long asked;

static int full(void)
{
	errno = ENOSPC;
	return __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED) ? -1 : 0;
}

int fallocate(int fd, int how, off_t at, off_t len)
{
	(void)fd, (void)how, (void)at, (void)len;
	return full();
}

int fallocate64(int fd, int how, off64_t at, off64_t len)
{
	(void)fd, (void)how, (void)at, (void)len;
	return full();
}

__attribute__((destructor)) static void count(void)
{
	FILE *f = asked ? fopen("refused", "w") : NULL;

	if (f)
		fprintf(f, "%ld\n", asked - 1), fclose(f);
}
