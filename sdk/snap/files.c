/* files.c - only regular files are opened for reading: by this program, and by elfutils within it.
 *
 * What a process has mapped, and the debug information that its files name, lie where whoever owns
 * the process wants: to open a FIFO that stands there would wait for ever, to open a device may do
 * something. See opens.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Looked at by a descriptor that opens nothing, and then that very file opened: nobody can put
 * another in its place between. */
static int open_regular(const char *path)
{
	int fd = -1, error, seen = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	char link[32];
	struct stat st;

	if (seen < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", seen);
	if (fstat(seen, &st) || !S_ISREG(st.st_mode))
		errno = EINVAL;
	else
		fd = openat(AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
	error = errno;
	close(seen);
	errno = error;
	return fd;
}

static int guarded(const char *path, int flags, unsigned mode)
{
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_DIRECTORY | O_PATH)))
		return open_regular(path);
	return openat(AT_FDCWD, path, flags, mode);
}

#include "opens.h"
