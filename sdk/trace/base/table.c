/* table.c - growing arrays whose items are found by what they begin with. Contracts in table.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"

uint32_t table_find(struct table *t, uint64_t a, uint64_t b)
{
	uint64_t hash = hash_of_pair(a, b);
	struct pair *key;
	void *index;

	for (size_t at = hash_first(&t->at, hash); (index = hash_next(&t->at, hash, &at));) {
		key = table_at(t, (uintptr_t)index - 1);
		if (key->a == a && key->b == b)
			return (uint32_t)((uintptr_t)index - 1);
	}
	if (t->count == UINT32_MAX)
		need(NULL);
	if (t->count == t->room)
		t->item = array_grow(t->item, t->count, &t->room, t->elem);
	key = table_at(t, t->count);
	memset(key, 0, t->elem);
	*key = (struct pair){ a, b };
	hash_add(&t->at, hash, (void *)(uintptr_t)++t->count);
	return (uint32_t)t->count - 1;
}

void table_free(struct table *t)
{
	free(t->item);
	hash_free(&t->at);
}

void *keyed_find(const struct keyed *t, uint64_t key)
{
	void *item = t->recent[key % KEYED_RECENT];

	return item && *(uint64_t *)item == key ? item : hash_find(&t->at, key);
}

void *keyed_make(struct keyed *t, uint64_t key)
{
	void *item = hash_find(&t->at, key);

	if (!item) {
		item = need(calloc(1, t->elem));
		*(uint64_t *)item = key;
		*ADD(t->item, t->count, t->room) = item;
		hash_add(&t->at, key, item);
	}
	return t->recent[key % KEYED_RECENT] = item;
}

void keyed_free(struct keyed *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->item[i]);
	free(t->item);
	hash_free(&t->at);
}
