/* mem.h - memory or the end (mem.c): what cannot hold its state has no result to give, and exits
 * with status 2. */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>

/* p; NULL ends the program: "out of memory". */
void *need(void *p);
/* Whom that message names: the program, and the file that asks for the memory (NULL: none). */
void need_is(const char *program, const char *file);
/* Zeroed memory, which large_free gives back, of the same size. What is looked up all over it waits
 * for its page's place as well as for itself: what is some times LARGE lies in pages of that size, where
 * the system has such. */
enum { LARGE = 1 << 21 };
void *large_new(size_t size);
void large_free(void *p, size_t size);
/* A terminated copy of len bytes at s (NULL where len is 0), to be freed. */
char *copy_text(const char *s, size_t len);

/* What stands there comes from memory while others are worked on; p may be anything. A macro: of a
 * function that does no more, compilers drop the call. So one that only calls this has to be inlined. */
#define FETCH(p) __builtin_prefetch((p), 1)
#define ONLY_FETCHES static inline __attribute__((always_inline))

/* The growing array: an owner keeps the items, how many there are, and for how many there is room;
 * all begin as zero, and free() of the items ends it. ADD makes room for one more, behind the
 * others, counts it and is a pointer to it; what stands there is undefined. Items may move. */
#define ADD(items, count, room) (ROOM(items, count, room), &(items)[(count)++])
/* Room for one more, not counted yet. */
#define ROOM(items, count, room)                \
	((items) = (count) < (room) ? (items) : \
				      array_grow((items), (count), &(room), sizeof(*(items))))
void *array_grow(void *items, size_t count, size_t *room, size_t size);

#endif
