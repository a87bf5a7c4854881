/* blocks.h - memory that notices: how many blocks are out, whether one wrote behind its own; what is new, behind, or given back holds no
 * number that anybody could go by, and what grows moves. With another allocator than glibc's, or a sanitizer's: nothing of that. */
#ifndef FUZZ_BLOCKS_H
#define FUZZ_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static long blocks_out, blocks_torn;

enum { BEHIND = 64, SOILED = 4096 };
/* Every other block has zeros behind it: who reads an element there finds both. */
static const size_t ZEROS = (size_t)1 << 63;
static size_t blocks_made;
extern void *__libc_malloc(size_t), *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
extern size_t malloc_usable_size(void *);

static size_t *size_at(char *p)
{
	return (size_t *)(p + ((malloc_usable_size(p) & ~(size_t)7) - sizeof(size_t)));
}

static void *fenced(char *p, size_t size)
{
	if (!p)
		return NULL;
	blocks_out++;
	memset(p, 0xa5, size < SOILED ? size : SOILED);
	memset(p + size, ++blocks_made % 2 ? 0xa5 : 0, BEHIND);
	*size_at(p) = size | (blocks_made % 2 ? 0 : ZEROS);
	return p;
}

static void *block(size_t size)
{
	return fenced(size < SIZE_MAX - 64 ? __libc_malloc(size + BEHIND + 2 * sizeof(size_t)) : NULL, size);
}

void *malloc(size_t size)
{
	return block(size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fenced(__libc_memalign(alignment, size + BEHIND + 2 * sizeof(size_t)), size);
}

void *calloc(size_t count, size_t size)
{
	void *p = size && count > SIZE_MAX / size ? NULL : block(count * size);	/* not malloc(): a compiler knows what both mean together */

	return p ? memset(p, 0, count * size) : NULL;
}

void free(void *p)
{
	char *s = p;
	size_t size, behind;

	if (!p)
		return;
	size = *size_at(s) & ~ZEROS;
	behind = *size_at(s) & ZEROS ? 0 : 0xa5;
	blocks_out--;
	for (int i = 0; i < BEHIND; i++)
		blocks_torn += (unsigned char)s[size + (size_t)i] != behind;
	memset(s, 0x5a, size < SOILED ? size : SOILED);
	__libc_free(p);
}

void *realloc(void *was, size_t size)
{
	char *p = block(size);
	size_t old = was ? *size_at(was) & ~ZEROS : 0;

	if (!p)
		return NULL;
	if (was)
		memcpy(p, was, old < size ? old : size);
	free(was);
	return p;
}
#else
static const long blocks_out, blocks_torn;
#endif
#endif
