/* keyed.c - a growing array found by a 64-bit key: threads by tid, sites by number. Contracts in state.h. */
#include <stdlib.h>

#include "model/state.h"

static uint64_t key_of(const void *item)
{
	return *(const uint64_t *)item;
}

static size_t slot_of(const struct keyed *t, uint64_t key)
{
	size_t i = hash64(key) & t->mask;

	while (t->slot[i] && key_of(t->item[t->slot[i] - 1]) != key)
		i = (i + 1) & t->mask;
	return i;
}

void *keyed_find(const struct keyed *t, uint64_t key)
{
	void *item = t->recent[key % KEYED_RECENT];
	uint32_t n;

	if (item && key_of(item) == key)
		return item;
	n = t->slot ? t->slot[slot_of(t, key)] : 0;
	return n ? t->item[n - 1] : NULL;
}

static void grow(struct keyed *t)
{
	size_t slots = t->slot ? 2 * (t->mask + 1) : 64;

	free(t->slot);
	t->slot = need(calloc(slots, sizeof(*t->slot)));
	t->mask = slots - 1;
	t->size = slots / 2;
	t->item = need(realloc(t->item, t->size * sizeof(*t->item)));
	for (size_t i = 0; i < t->count; i++)
		t->slot[slot_of(t, key_of(t->item[i]))] = (uint32_t)i + 1;
}

void *keyed_make(struct keyed *t, uint64_t key)
{
	void *item = keyed_find(t, key);

	if (!item) {
		if (t->count == t->size)
			grow(t);
		item = need(calloc(1, t->elem));
		*(uint64_t *)item = key;
		t->slot[slot_of(t, key)] = (uint32_t)t->count + 1;
		t->item[t->count++] = item;
	}
	return t->recent[key % KEYED_RECENT] = item;
}

void keyed_free(struct keyed *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->item[i]);
	free(t->item);
	free(t->slot);
}
