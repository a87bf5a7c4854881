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
#include <unistd.h>

#include "sym.h"

#define MEMORY_FIRST (UINT64_C(1) << 30)
#define MEMORY_MAX (UINT64_C(4) << 30)

#ifndef __SANITIZE_ADDRESS__
/* Nor more than half of what the machine has. */
static uint64_t most(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : MEMORY_MAX;

	return half > MEMORY_MAX ? MEMORY_MAX : half < MEMORY_FIRST ? MEMORY_FIRST : half;
}
#endif

/* Twelve times its size is more than any honest file asks for: that, and its compressed sections
 * unpacked. A file that has no room as a whole is read in parts. */
void guard_memory(uint64_t size)
{
#ifndef __SANITIZE_ADDRESS__		/* whose shadow is larger than any limit */
	static uint64_t allowed = MEMORY_FIRST;
	uint64_t max = most();

	allowed = size > max / 12 ? max : allowed + 12 * size;
	if (allowed > max)
		allowed = max;
	setrlimit(RLIMIT_AS, &(struct rlimit){ allowed, max });
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
