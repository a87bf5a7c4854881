/* guard.c - bounds of the worker: its memory; and what libraries open there goes through
 * root_open(), too.
 *
 * Debug information names further files: units of their own (.dwo, .dwp), what several files share
 * (.gnu_debugaltlink), what was split off (.gnu_debuglink). elfutils opens them by itself, whatever
 * and wherever they are, and offers no way to be asked. So the program brings open() itself, which
 * the linker, or the loader, takes before libc's. Contract in sym.h.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include "sym.h"

#define MEMORY_FIRST (UINT64_C(1) << 30)
#define MEMORY_MAX (UINT64_C(8) << 30)

/* Twelve times its size is more than any honest file asks for: that, and its compressed sections
 * unpacked. */
void guard_memory(uint64_t size)
{
#ifndef __SANITIZE_ADDRESS__		/* whose shadow is larger than any limit */
	static uint64_t allowed = MEMORY_FIRST;

	allowed = size > MEMORY_MAX / 12 ? MEMORY_MAX : allowed + 12 * size;
	if (allowed > MEMORY_MAX)
		allowed = MEMORY_MAX;
	setrlimit(RLIMIT_AS, &(struct rlimit){ allowed, MEMORY_MAX });
#else
	(void)size;
#endif
}

static const char *below;	/* NULL: no guard yet */

void guard_opens(const char *root)
{
	below = root;
}

static int guarded(const char *path, int flags, va_list ap)
{
	unsigned mode = flags & O_CREAT ? va_arg(ap, unsigned) : 0;
	size_t len = below ? strlen(below) : 0;

	if (!below || (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT)
		return openat(AT_FDCWD, path, flags, mode);
	return root_open(below, strncmp(path, below, len) ? path : path + len);
}

/* By the names that libraries call; here they have others, since a header may make those inline. */
int guard_open(const char *path, int flags, ...) __asm__("open") __attribute__((used));
int guard_open64(const char *path, int flags, ...) __asm__("open64") __attribute__((used));

int guard_open(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = guarded(path, flags, ap);
	va_end(ap);
	return fd;
}

/* No alias of the other: where libc's headers make open() inline, that name is libc's to them. */
int guard_open64(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = guarded(path, flags, ap);
	va_end(ap);
	return fd;
}
