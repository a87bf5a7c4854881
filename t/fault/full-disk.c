/* full-disk.c - preloaded: a file gets blocks once, and then its disk is full. How often it was asked in vain stands in the file
 * `refused` at exit. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/types.h>

static long asked;

static int full(void)
{
	return __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED) ? ENOSPC : 0;
}

int posix_fallocate(int fd, off_t at, off_t len)
{
	(void)fd, (void)at, (void)len;
	return full();
}

int posix_fallocate64(int fd, off64_t at, off64_t len)
{
	(void)fd, (void)at, (void)len;
	return full();
}

__attribute__((destructor)) static void count(void)
{
	FILE *f = asked ? fopen("refused", "w") : NULL;

	if (f)
		fprintf(f, "%ld\n", asked - 1), fclose(f);
}
