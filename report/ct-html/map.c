/* map.c - open addressing with linear probing and removal without marks. Contracts in html.h. */
#include <stdlib.h>

#include "html.h"

static size_t home(const struct map *m, uint64_t key)
{
	return (size_t)(key * 0x9E3779B97F4A7C15ull >> 20) & m->mask;
}

static struct map_slot *slot_of(const struct map *m, uint64_t key)
{
	size_t i = home(m, key);

	while (m->slot[i].value && m->slot[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

void **map_find(const struct map *m, uint64_t key)
{
	struct map_slot *s = m->slot ? slot_of(m, key) : NULL;

	return s && s->value ? &s->value : NULL;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->mask = old.slot ? 2 * old.mask + 1 : 63;
	m->slot = html_need(calloc(m->mask + 1, sizeof(*m->slot)));
	for (size_t i = 0; old.slot && i <= old.mask; i++)
		if (old.slot[i].value)
			*slot_of(m, old.slot[i].key) = old.slot[i];
	free(old.slot);
}

void **map_add(struct map *m, uint64_t key)
{
	struct map_slot *s = m->slot ? slot_of(m, key) : NULL;

	if (s && s->value)
		return &s->value;
	if (!s || 2 * (m->used + 1) > m->mask) {
		grow(m);
		s = slot_of(m, key);
	}
	m->used++;
	s->key = key;
	return &s->value;
}

/* The ones behind it that do not stand at home move up, so that no search ends early. */
void map_remove(struct map *m, uint64_t key)
{
	size_t hole = (size_t)(slot_of(m, key) - m->slot);

	m->used--;
	for (size_t i = (hole + 1) & m->mask; m->slot[i].value; i = (i + 1) & m->mask) {
		size_t at_home = home(m, m->slot[i].key);

		if (((i - at_home) & m->mask) >= ((i - hole) & m->mask)) {
			m->slot[hole] = m->slot[i];
			hole = i;
		}
	}
	m->slot[hole].value = NULL;
}

void map_free(struct map *m)
{
	free(m->slot);
}
