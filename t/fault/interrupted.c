/* interrupted.c - preloaded: of six times that a file is to get blocks, a signal comes first in five, as to older kernels' tmpfs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int allocate(int fd, int how, off64_t at, off64_t len)
{
	static unsigned asked;

	if (__atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) % 6 == 0)
		return (int)syscall(SYS_fallocate, fd, how, at, len);
	errno = EINTR;
	return -1;
}

int fallocate(int fd, int how, off_t at, off_t len) { return allocate(fd, how, at, len); }
int fallocate64(int fd, int how, off64_t at, off64_t len) { return allocate(fd, how, at, len); }
