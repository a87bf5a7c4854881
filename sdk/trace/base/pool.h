/* pool.h - items of one size, taken and given back by the million (pool.c). */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

/* Begins as zero but for `elem`. Each item begins a cache line. The first blocks are small: a file may
 * hold runs by the hundred thousand, each with pools of its own. From some times LARGE on they are of that
 * size. */
struct pool {
	size_t elem;
	struct pool_block *blocks;
	size_t held;			/* bytes of all of them */
	void *spare;			/* each points to the next */
};
/* Zeroed; valid until it is given back, or the pool ends. Out of memory ends the program. */
void *pool_take(struct pool *);
void pool_give(struct pool *, void *item);
void pool_free(struct pool *);

#endif
