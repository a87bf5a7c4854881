/* fence.c - preloaded, it ends each block of memory where a page begins that nobody may touch, and gives what was given back to nobody
 * again: who reads or writes behind a block, or in one that is gone, dies by SIGSEGV. What is not set is not zero. A block of an odd
 * size is fenced to the byte, one of a size that 2, 4, 8 divide keeps that alignment; in front of it stand its size and 0xa5. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, SPACE_BITS = 31 };

static char *space, *next;

static size_t pages(size_t n) { return (n + PAGE - 1) & ~(size_t)(PAGE - 1); }

static void *block(size_t size, size_t align)
{
	size_t all = pages(size + align + sizeof size);
	char *first, *user;

	if (!space) {
		space = mmap(NULL, 1ull << SPACE_BITS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (space == MAP_FAILED)
			abort();
		next = space;
	}
	if (size > 1ull << 30) {
		errno = ENOMEM;
		return NULL;
	}
	first = __atomic_fetch_add(&next, all + PAGE, __ATOMIC_RELAXED);
	if (first + all + PAGE > space + (1ull << SPACE_BITS) || mprotect(first, all, PROT_READ | PROT_WRITE) < 0)
		abort();
	user = first + all - size;
	user -= (uintptr_t)user % align;
	memset(first, 0xa5, size < PAGE ? all : PAGE);
	memcpy(user - sizeof size, &size, sizeof size);
	return user;
}

static size_t size_of(const char *user)
{
	size_t size;

	memcpy(&size, user - sizeof size, sizeof size);
	return size;
}

static size_t natural(size_t size)
{
	size_t align = size & -size;

	return !size ? 1 : align > 16 ? 16 : align;
}

void *malloc(size_t size) { return block(size, natural(size)); }

void *calloc(size_t count, size_t size)
{
	void *p = size && count > SIZE_MAX / size ? NULL : malloc(count * size);

	return p ? memset(p, 0, count * size) : NULL;
}

void free(void *p)
{
	uintptr_t first = ((uintptr_t)p - sizeof(size_t)) & ~(uintptr_t)(PAGE - 1);

	if (!p)
		return;
	size_t all = pages((uintptr_t)p + size_of(p) - first);

	if (madvise((void *)first, all, MADV_DONTNEED) < 0 || mprotect((void *)first, all, PROT_NONE) < 0)
		abort();
}

void *realloc(void *p, size_t size)
{
	size_t had = p ? size_of(p) : 0;
	void *to = malloc(size);

	if (to && p) {
		memcpy(to, p, had < size ? had : size);
		free(p);
	}
	return to;
}

void *aligned_alloc(size_t align, size_t size) { return block(size, align); }
void *memalign(size_t align, size_t size) { return block(size, align); }

int posix_memalign(void **p, size_t align, size_t size)
{
	*p = block(size, align);
	return *p ? 0 : ENOMEM;
}
