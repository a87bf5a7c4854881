/* hash.h - the hash table (hash.c): from a 64-bit key to a pointer.
 *
 * Open addressing with linear probing, at most half full; removal leaves no marks. Keys are spread
 * by a multiplier drawn once a process: who writes a trace cannot choose keys that meet. Four keys
 * in a row share a cache line, since ids are mostly given out in a row. Nothing printed may follow
 * the order of the slots.
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct hash_slot {
	uint64_t key;
	void *item;			/* NULL: free */
};
struct hash {				/* begins as zero */
	struct hash_slot *slot;
	size_t mask, used;		/* slots - 1; in use */
	uint64_t odd;			/* the multiplier */
	unsigned shift;			/* 64 - log2(slots / 4) */
};

/* Add an item, which is not NULL. Another of the same key stays: a key of several parts is added by
 * its hash, and found by hash_next. Out of memory ends the program. */
void hash_add(struct hash *, uint64_t key, void *item);
/* Take out this item, which must be there. */
void hash_remove(struct hash *, uint64_t key, const void *item);
/* Take out all; the memory is kept unless it is far more than they needed. */
void hash_clear(struct hash *);
void hash_free(struct hash *);

/* Hashes, seeded as the map: of two numbers, and of bytes. */
uint64_t hash_of_pair(uint64_t a, uint64_t b);
uint64_t hash_of_bytes(const void *p, size_t len);

/* Where the search for a key begins. */
static inline size_t hash_home(const struct hash *t, uint64_t key)
{
	return (size_t)((key >> 2) * t->odd >> t->shift << 2 | (key & 3));
}

ONLY_FETCHES void hash_fetch(const struct hash *t, uint64_t key)
{
	if (t->slot)
		FETCH(&t->slot[hash_home(t, key)]);
}

/* The one item of that key; NULL where there is none. */
static inline void *hash_find(const struct hash *t, uint64_t key)
{
	if (!t->slot)
		return NULL;
	for (size_t i = hash_home(t, key); t->slot[i].item; i = (i + 1) & t->mask)
		if (t->slot[i].key == key)
			return t->slot[i].item;
	return NULL;
}

/* The items of a key, one after another; NULL at the end:
 *	for (size_t at = hash_first(t, key); (item = hash_next(t, key, &at));)
 * No hash_add or hash_remove in between. */
static inline size_t hash_first(const struct hash *t, uint64_t key)
{
	return t->slot ? hash_home(t, key) : 0;
}
static inline void *hash_next(const struct hash *t, uint64_t key, size_t *at)
{
	if (!t->slot)
		return NULL;
	for (; t->slot[*at].item; *at = (*at + 1) & t->mask)
		if (t->slot[*at].key == key) {
			void *item = t->slot[*at].item;

			*at = (*at + 1) & t->mask;
			return item;
		}
	return NULL;
}

/* All items, in no order; call with *at = 0 first; NULL at the end. Nothing may be added or removed
 * in between. */
static inline void *hash_each(const struct hash *t, size_t *at)
{
	while (t->slot && *at <= t->mask)
		if (t->slot[(*at)++].item)
			return t->slot[*at - 1].item;
	return NULL;
}

#endif
