/* maps.c - which file lies where in the processes of a run. Contracts in sym.h.
 *
 * Forked processes have the same files in the same places, so a place is kept once, with how many
 * have it; an address is looked for among the places of its megabyte. So very many processes, alike
 * or each with places of its own, cost each what few do. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "sym.h"

enum { AREA_SHIFT = 20, WIDEST = 1024 };	/* areas; whatever is wider stands in `wide` */

struct place {
	struct map map;			/* its texts are its own */
	uint64_t order;			/* when it was first mapped */
	size_t users;			/* processes that have it */
};
struct list { uint64_t key; struct place **at; size_t count, room; };

static struct keyed areas = { .elem = sizeof(struct list) };
static struct keyed processes = { .elem = sizeof(struct list) };
static struct list wide;
static struct hash places;		/* by place_hash() */
static uint64_t order;

static uint64_t place_hash(const struct map *m)
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

/* Every list in which the place has to be found, one after another. */
static struct list *list_of(const struct map *m, uint64_t i)
{
	uint64_t area = (m->start >> AREA_SHIFT) + i;

	if (m->end <= m->start)
		return NULL;		/* it covers nothing */
	if (is_wide(m))
		return i ? NULL : &wide;
	return area <= (m->end - 1) >> AREA_SHIFT ? keyed_get(&areas, area) : NULL;
}

static void take_out(struct list *l, const struct place *p)
{
	size_t i = l->count - 1;

	while (l->at[i] != p)
		i--;
	memmove(&l->at[i], &l->at[i + 1], (--l->count - i) * sizeof(*l->at));
}

static struct place *place_find(const struct map *m)
{
	struct place *p;
	uint64_t h = place_hash(m);

	for (size_t at = hash_first(&places, h); (p = hash_next(&places, h, &at));)
		if (p->map.start == m->start && p->map.end == m->end &&
			p->map.offset == m->offset && !strcmp(p->map.path, m->path) &&
			!strcmp(p->map.build_id, m->build_id))
			return p;
	return NULL;
}

static struct place *place_new(const struct map *m)
{
	struct place *p = need(calloc(1, sizeof(*p)));
	struct list *l;

	p->map = *m;
	p->map.path = need(strdup(m->path));
	p->map.build_id = need(strdup(m->build_id));
	p->order = ++order;
	hash_add(&places, place_hash(m), p);
	for (uint64_t i = 0; (l = list_of(m, i)); i++)
		*ADD(l->at, l->count, l->room) = p;
	return p;
}

static void place_free(struct place *p)
{
	free(p->map.path);
	free(p->map.build_id);
	free(p);
}

static void place_leave(struct place *p)
{
	struct list *l;

	if (--p->users)
		return;
	hash_remove(&places, place_hash(&p->map), p);
	for (uint64_t i = 0; (l = list_of(&p->map, i)); i++)
		take_out(l, p);
	place_free(p);
}

bool maps_add(uint64_t pid, const struct map *m)
{
	struct list *of = keyed_get(&processes, pid);
	struct place *p;
	bool replaced = false;

	for (size_t i = of->count; i-- > 0;) {
		p = of->at[i];
		if (p->map.start >= m->end || m->start >= p->map.end)
			continue;
		of->at[i] = of->at[--of->count];
		place_leave(p);
		replaced = true;
	}
	p = place_find(m);
	p = p ? p : place_new(m);
	p->users++;
	*ADD(of->at, of->count, of->room) = p;
	return replaced;
}

/* From the latest on, until two of them differ. */
static void look(const struct list *l, uint64_t addr, const struct place **found, bool *ambiguous)
{
	for (size_t i = l ? l->count : 0; i-- > 0 && !*ambiguous;) {
		const struct place *p = l->at[i];
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
	const struct place *found = NULL;

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
	struct place *p;

	for (size_t i = 0; (p = hash_each(&places, &i));)
		place_free(p);
	hash_free(&places);
	lists_free(&areas);
	lists_free(&processes);
	free(wide.at);
	wide = (struct list){ 0 };
}
