/* mem.c - memory or the end. Contracts in mem.h. */
#define _DEFAULT_SOURCE	/* MAP_ANONYMOUS, madvise */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "cttrace.h"

static const char *whose = "corotrace", *of;	/* the program; a file, or NULL */

void need_is(const char *program, const char *file)
{
	whose = program;
	of = file;
}

void *need(void *p)
{
	if (!p)
		ctt_die(whose, of ? of : "out of memory", of ? "out of memory" : NULL);
	return p;
}

/* More is mapped than is wanted, and what stands before and behind is given back. */
static void *map_large(size_t size)
{
	size_t all = size <= SIZE_MAX - LARGE ? size + LARGE : SIZE_MAX, before;
	char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p & (LARGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + size, LARGE - before);
#ifdef MADV_HUGEPAGE
	madvise(p + before, size, MADV_HUGEPAGE);	/* refused: small ones do */
#endif
	return p + before;
}

static bool is_large(size_t size)
{
	return size >= LARGE && !(size & (LARGE - 1));
}

void *large_new(size_t size)
{
	return need(is_large(size) ? map_large(size) : calloc(1, size));
}

void large_free(void *p, size_t size)
{
	if (p && is_large(size))
		munmap(p, size);
	else
		free(p);
}

char *copy_text(const char *s, size_t len)
{
	char *copy = need(malloc(len + 1));

	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void *array_grow(void *items, size_t count, size_t *room, size_t size)
{
	if (count > SIZE_MAX / 2 / size)
		need(NULL);
	*room = count ? 2 * count : 2;
	return need(realloc(items, *room * size));
}
