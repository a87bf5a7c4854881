/* guard.c - bounds of the worker: its memory; and what libraries open there goes through
 * root_open(), too.
 *
 * Debug information names further files: units of their own (.dwo, .dwp), what several files share
 * (.gnu_debugaltlink), what was split off (.gnu_debuglink). elfutils opens them by itself, whatever
 * and wherever they are: see opens.h. Contract in sym.h.
 */
#include <fcntl.h>
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

static int guarded(const char *path, int flags, unsigned mode)
{
	size_t len = below ? strlen(below) : 0;

	if (!below || (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT)
		return openat(AT_FDCWD, path, flags, mode);
	return root_open(below, strncmp(path, below, len) ? path : path + len);
}

#include "snap/opens.h"
