/* table.c - items found by two numbers. Contracts in spans.h. */
#include <stdlib.h>
#include <string.h>

#include "fold/spans.h"

static size_t slot_of(const struct table *t, uint64_t a, uint64_t b)
{
	uint64_t h = (a * 0x9E3779B97F4A7C15ull) ^ ((b + 0x632BE59BD9B4E019ull) * 0xD6E8FEB86659FD93ull);
	size_t i = (size_t)((h ^ h >> 32) * 0x9E3779B97F4A7C15ull >> 20) & t->mask;

	for (; t->slot[i]; i = (i + 1) & t->mask) {
		const struct pair *key = table_at(t, t->slot[i] - 1);

		if (key->a == a && key->b == b)
			break;
	}
	return i;
}

static void grow(struct table *t)
{
	size_t slots = t->slot ? 2 * (t->mask + 1) : 64;

	free(t->slot);
	t->slot = calloc(slots, sizeof(*t->slot));
	t->item = realloc(t->item, slots / 2 * t->elem);
	if (!t->slot || !t->item || slots > UINT32_MAX)
		ctt_die("corotrace", "out of memory", NULL);
	t->mask = slots - 1;
	t->size = slots / 2;
	for (size_t i = 0; i < t->count; i++) {
		const struct pair *key = table_at(t, i);

		t->slot[slot_of(t, key->a, key->b)] = (uint32_t)i + 1;
	}
}

uint32_t table_index(struct table *t, uint64_t a, uint64_t b)
{
	size_t i;

	if (t->count == t->size)
		grow(t);
	i = slot_of(t, a, b);
	if (!t->slot[i]) {
		struct pair *key = table_at(t, t->count);

		memset(key, 0, t->elem);
		*key = (struct pair){ a, b };
		t->slot[i] = (uint32_t)++t->count;
	}
	return t->slot[i] - 1;
}

void table_free(struct table *t)
{
	free(t->item);
	free(t->slot);
}
