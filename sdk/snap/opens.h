/* opens.h - open() of the program that includes this, in one of its files: its own, and that of
 * the libraries within it, such as elfutils, which open what they find named, and offer no way to
 * be asked. The linker, or the loader, takes it before libc's.
 *
 * Whoever includes it defines before: what is opened for such a call, as open() returns it; `mode`
 * is 0 where none was given. It opens by openat().
 *	static int guarded(const char *path, int flags, unsigned mode);
 */
#ifndef SNAP_OPENS_H
#define SNAP_OPENS_H

#include <fcntl.h>
#include <stdarg.h>

/* By the names that libraries call; here they have others, since a header may make those inline.
 * Nor is one an alias of the other: where libc's headers make open() inline, that name is libc's to
 * them. */
#define OPENS(name, symbol) \
	int name(const char *path, int flags, ...) __asm__(symbol) __attribute__((used)); \
	int name(const char *path, int flags, ...) \
	{ \
		unsigned mode = 0; \
		va_list ap; \
\
		va_start(ap, flags); \
		if (flags & O_CREAT) \
			mode = va_arg(ap, unsigned); \
		va_end(ap); \
		return guarded(path, flags, mode); \
	}

OPENS(opens_open, "open")
OPENS(opens_open64, "open64")

#endif
