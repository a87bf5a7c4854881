/* functions.c - the functions of a unit, by address: a unit may have a hundred thousand, and be
 * asked for thousands of addresses. Contract in functions.h.
 *
 * dwarf_getscopes() does not look into what has no address itself, as namespaces: clang puts
 * functions there. */
#include <dwarf.h>
#include <stdlib.h>

#include "base/hash.h"
#include "functions.h"

enum { DEPTH_MAX = 200 };

struct range {
	Dwarf_Addr start, end;
	Dwarf_Addr reach;	/* the furthest end, of those up to here */
	void *die;		/* rises in the order of the file */
};
struct unit {
	struct range *range;
	size_t count, room;
};
static struct hash units;	/* by where their DIE stands */

static void add(struct unit *u, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0)
		if (start < end)
			*ADD(u->range, u->count, u->room) =
				(struct range){ .start = start, .end = end, .die = die->addr };
}

static void add_all(struct unit *u, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(parent, &child))
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			add_all(u, &child, depth + 1);
			break;
		case DW_TAG_subprogram: case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block: case DW_TAG_try_block: case DW_TAG_catch_block:
			add(u, &child);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
}

static int by_start(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

static struct unit *unit_of(Dwarf_Die *die)
{
	struct unit *u = hash_find(&units, (uintptr_t)die->addr);

	if (u)
		return u;
	u = need(calloc(1, sizeof(*u)));
	add_all(u, die, 0);
	if (u->count)
		qsort(u->range, u->count, sizeof(*u->range), by_start);
	for (size_t i = 0; i < u->count; i++) {
		struct range *r = &u->range[i];

		r->reach = i && r[-1].reach > r->end ? r[-1].reach : r->end;
	}
	hash_add(&units, (uintptr_t)die->addr, u);
	return u;
}

bool functions_find(Dwarf_Die *die, Dwarf_Addr pc, Dwarf_Die *found)
{
	const struct unit *u = unit_of(die);
	size_t low = 0, high = u->count;
	void *first = NULL;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (u->range[mid].start <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	/* of several that have it, as what a linker folded into one, the file's first */
	for (; low && u->range[low - 1].reach > pc; low--) {
		const struct range *r = &u->range[low - 1];

		if (r->end > pc && (!first || r->die < first))
			first = r->die;
	}
	*found = (Dwarf_Die){ .addr = first, .cu = die->cu };
	return first;
}
