/* maps.c - which file lies where in the processes of a run. Contracts in sym.h.
 *
 * Forked processes have the same files mapped at the same addresses, so a mapping is kept once, with
 * how many have it; an address is looked for among the mappings of its megabyte. So very many
 * processes, alike or each with mappings of its own, cost each what few do. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "sym.h"

enum { AREA_SHIFT = 20, WIDEST = 1024 };	/* areas; whatever is wider stands in `wide` */

struct mapping {
	struct map map;			/* its texts are its own */
	uint64_t order;			/* when it was first mapped */
	size_t users;			/* processes that have it */
};
struct list { uint64_t key; struct mapping **at; size_t count, room; };

static struct keyed areas = { .elem = sizeof(struct list) };
static struct keyed processes = { .elem = sizeof(struct list) };	/* by address */
static struct list wide;
static struct hash mappings;		/* by mapping_hash() */
static uint64_t order;

static uint64_t mapping_hash(const struct map *m)
{
	uint64_t h = hash_of_pair(m->start, m->end);

	h = hash_of_pair(h, m->offset);
	h = hash_of_pair(h, hash_of_bytes(m->path, strlen(m->path)));
	return hash_of_pair(h, hash_of_bytes(m->build_id, strlen(m->build_id)));
}

static bool is_wide(const struct map *m)
{
	return (m->end - 1 - m->start) >> AREA_SHIFT >= WIDEST;
}

/* Every list in which the mapping has to be found, one after another. */
static struct list *list_of(const struct map *m, uint64_t i)
{
	uint64_t area = (m->start >> AREA_SHIFT) + i;

	if (is_wide(m))
		return i ? NULL : &wide;
	return area <= (m->end - 1) >> AREA_SHIFT ? keyed_get(&areas, area) : NULL;
}

static void take_out(struct list *l, const struct mapping *p)
{
	size_t i = l->count - 1;

	while (l->at[i] != p)
		i--;
	memmove(&l->at[i], &l->at[i + 1], (--l->count - i) * sizeof(*l->at));
}

static struct mapping *mapping_find(const struct map *m)
{
	struct mapping *p;
	uint64_t h = mapping_hash(m);

	for (size_t at = hash_first(&mappings, h); (p = hash_next(&mappings, h, &at));)
		if (p->map.start == m->start && p->map.end == m->end &&
			p->map.offset == m->offset && !strcmp(p->map.path, m->path) &&
			!strcmp(p->map.build_id, m->build_id))
			return p;
	return NULL;
}

static struct mapping *mapping_new(const struct map *m)
{
	struct mapping *p = need(calloc(1, sizeof(*p)));
	struct list *l;

	p->map = *m;
	p->map.path = need(strdup(m->path));
	p->map.build_id = need(strdup(m->build_id));
	p->order = ++order;
	hash_add(&mappings, mapping_hash(m), p);
	for (uint64_t i = 0; (l = list_of(m, i)); i++)
		*ADD(l->at, l->count, l->room) = p;
	return p;
}

static void mapping_free(struct mapping *p)
{
	free(p->map.path);
	free(p->map.build_id);
	free(p);
}

static void mapping_leave(struct mapping *p)
{
	struct list *l;

	if (--p->users)
		return;
	hash_remove(&mappings, mapping_hash(&p->map), p);
	for (uint64_t i = 0; (l = list_of(&p->map, i)); i++)
		take_out(l, p);
	mapping_free(p);
}

/* The first of a process's that ends behind there: none overlap. */
static size_t first_behind(const struct list *of, uint64_t addr)
{
	size_t first = 0, end = of->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (of->at[middle]->map.end > addr)
			end = middle;
		else
			first = middle + 1;
	}
	return first;
}

bool maps_add(uint64_t pid, const struct map *m)
{
	struct list *of = keyed_get(&processes, pid);
	size_t first = first_behind(of, m->start), end = first;
	struct mapping *p;

	if (m->end <= m->start)
		return false;		/* it covers nothing */
	while (end < of->count && of->at[end]->map.start < m->end)
		mapping_leave(of->at[end++]);
	p = mapping_find(m);
	p = p ? p : mapping_new(m);
	p->users++;
	ADD(of->at, of->count, of->room);
	memmove(&of->at[first + 1], &of->at[end], (of->count - 1 - end) * sizeof(*of->at));
	of->at[first] = p;
	of->count -= end - first;
	return end > first;
}

/* From the latest on, until two of them differ. */
static void look(const struct list *l, uint64_t addr, const struct mapping **found, bool *ambiguous)
{
	for (size_t i = l ? l->count : 0; i-- > 0 && !*ambiguous;) {
		const struct mapping *p = l->at[i];
		const struct map *m = &p->map, *f = *found ? &(*found)->map : m;

		if (addr < m->start || addr >= m->end)
			continue;
		*ambiguous = strcmp(f->path, m->path) ||
			addr - f->start + f->offset != addr - m->start + m->offset;
		if (!*found || p->order > (*found)->order)
			*found = p;
	}
}

const struct map *maps_find(uint64_t addr, bool *ambiguous)
{
	const struct mapping *found = NULL;

	*ambiguous = false;
	look(keyed_find(&areas, addr >> AREA_SHIFT), addr, &found, ambiguous);
	look(&wide, addr, &found, ambiguous);
	return found ? &found->map : NULL;
}

static void lists_free(struct keyed *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(((struct list *)t->item[i])->at);
	keyed_free(t);
	*t = (struct keyed){ .elem = sizeof(struct list) };
}

void maps_forget(void)
{
	struct mapping *p;

	for (size_t i = 0; (p = hash_each(&mappings, &i));)
		mapping_free(p);
	hash_free(&mappings);
	lists_free(&areas);
	lists_free(&processes);
	free(wide.at);
	wide = (struct list){ 0 };
}
