/* table.h - growing arrays whose items are found by what they begin with, in order of first sight
 * (table.c). */
#ifndef TABLE_H
#define TABLE_H

#include "base/hash.h"

/* Items of a size, found by two numbers with which they begin; zeroed when made. Pointers are valid
 * until the next table_get. Begins as zero but for `elem`. Those got last need no search. */
enum { TABLE_RECENT = 32 };
struct table {
	char *item;
	size_t elem, count, room;
	struct hash at;			/* from the two's hash: index + 1 */
	uint32_t recent[TABLE_RECENT];	/* index + 1, by their last bits */
};
struct pair { uint64_t a, b; };
static inline void *table_at(const struct table *t, size_t i) { return t->item + i * t->elem; }
/* table_index, for one that is not in `recent` */
uint32_t table_find(struct table *, uint64_t a, uint64_t b);
/* made when not there */
static inline uint32_t table_index(struct table *t, uint64_t a, uint64_t b)
{
	uint32_t *recent = &t->recent[(a + 7 * b) % TABLE_RECENT];
	const struct pair *key = *recent ? table_at(t, *recent - 1) : NULL;

	if (!key || key->a != a || key->b != b)
		*recent = table_find(t, a, b) + 1;
	return *recent - 1;
}
static inline void *table_get(struct table *t, uint64_t a, uint64_t b)
{
	return table_at(t, table_index(t, a, b));
}
void table_free(struct table *);

/* Items of a size, found by a number with which they begin: threads by tid, sites by number. They
 * never move; zeroed when made. Begins as zero but for `elem`. Most lines are of few threads and
 * sites: those got last need no search. */
enum { KEYED_RECENT = 16 };
struct keyed {
	void **item;
	size_t elem, count, room;
	struct hash at;
	void *recent[KEYED_RECENT];	/* by their keys' last bits */
};
void *keyed_find(const struct keyed *, uint64_t key);		/* NULL when not there */
/* keyed_get, for one that is not in `recent` */
void *keyed_make(struct keyed *, uint64_t key);
void keyed_free(struct keyed *);

/* Made when not there. */
static inline void *keyed_get(struct keyed *t, uint64_t key)
{
	void *item = t->recent[key % KEYED_RECENT];

	return item && *(uint64_t *)item == key ? item : keyed_make(t, key);
}
#endif
