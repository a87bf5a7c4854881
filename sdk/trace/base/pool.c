/* pool.c - items of one size. Contracts in pool.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"

enum { FIRST_BLOCK = 2, BLOCK = 256, LINE = 64, MANY = 2 * LARGE };
struct pool_block {
	struct pool_block *next;
	size_t room, size;
	_Alignas(LINE) char at[];
};

static size_t stride(const struct pool *p)
{
	return (p->elem + LINE - 1) / LINE * LINE;
}

static void more(struct pool *p)
{
	size_t room = !p->blocks        ? FIRST_BLOCK :
		p->blocks->room < BLOCK ? 2 * p->blocks->room :
					  BLOCK;
	size_t size = sizeof(struct pool_block) + room * stride(p);
	struct pool_block *b;

	if (p->held >= MANY && size <= LARGE) {
		size = LARGE;
		room = (size - sizeof(*b)) / stride(p);
	}
	b = size == LARGE ? large_new(size) : need(aligned_alloc(LINE, size));
	*b = (struct pool_block){ p->blocks, room, size };
	p->blocks = b;
	p->held += size;
	for (size_t i = room; i--;)
		pool_give(p, b->at + i * stride(p));
}

/* Those given back lie all over memory: the next one comes while this one is used. */
void *pool_take(struct pool *p)
{
	char *item, *next;

	if (!p->spare)
		more(p);
	item = p->spare;
	next = *(void **)item;
	for (size_t i = 0; next && i < p->elem; i += LINE)
		FETCH(next + i);
	p->spare = next;
	return memset(item, 0, p->elem);
}

void pool_give(struct pool *p, void *item)
{
	*(void **)item = p->spare;
	p->spare = item;
}

void pool_free(struct pool *p)
{
	for (struct pool_block *b = p->blocks, *next; b; b = next) {
		next = b->next;
		large_free(b, b->size);
	}
}
