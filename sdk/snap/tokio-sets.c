/* tokio-sets.c - what waits for whichever of many ends first: a JoinSet's tasks, the futures of a
 * FuturesUnordered. Contracts in tokio.h. */
#include <string.h>

#include "tokio.h"

enum { WRAPS = 16 };		/* types in one another, at most: one may be said to be in itself */

/* futures' FuturesUnordered: a list of nodes, each with one, or none where that has ended. */
static bool unordered(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t head = at, node, next_at = 0, future_at = 0;
	Dwarf_Die pointer, task, future, member, fields, of;

	if (!begins(die_name(type), "FuturesUnordered<") ||
		!die_down(type, "head_all", &head, &pointer))
		return false;
	for (int n = 0; dwarf_tag(&pointer) != DW_TAG_pointer_type; n++) {
		of = pointer;
		if (n == WRAPS || (!die_down(&of, "__0", &head, &pointer) &&
			!die_down(&of, "value", &head, &pointer) &&
			!die_down(&of, "p", &head, &pointer)))
			return false;
	}
	if (!die_type(&pointer, &task) || !die_down(&task, "next_all", &next_at, &of) ||
		!die_down(&task, "future", &future_at, &future) || !mem_word(c->target, head, &node))
		return false;
	for (int n = 0; node && n < MOST_LEGS;
		n++, node = mem_number(c->target, node + next_at, 8)) {
		uint64_t value = node + future_at, fields_at;
		Dwarf_Die in = future;

		for (int k = 0; k < WRAPS && begins(die_name(&in), "UnsafeCell<") &&
			die_member(&in, "value", &value, &of);
			k++)
			in = of;
		if (die_variant(c->target, value, &in, &member, &fields, &fields_at) &&
			!strcmp(die_name(&fields), "Some") &&
			die_member(&fields, "__0", &fields_at, &of))
			leg_follow(c, fields_at, &of, true);
		c->steps = 0;
	}
	return true;
}

/* The pointer in an Option<NonNull<T>>, and its T; false: None. */
static bool pointer_of(
	const struct target *t, uint64_t at, Dwarf_Die *option, uint64_t *to, Dwarf_Die *of)
{
	Dwarf_Die member, fields, pointer;

	return die_variant(t, at, option, &member, &fields, &at) &&
		!strcmp(die_name(&fields), "Some") && die_down(&fields, "pointer", &at, &pointer) &&
		mem_word(t, at, to) && *to && die_type(&pointer, of);
}

/* The handles in one of tokio's lists. False: they cannot all be read. */
static bool handles(struct chain *c, uint64_t at, Dwarf_Die *list)
{
	Dwarf_Die head, entry, next, raw;
	uint64_t node;

	if (!die_member(list, "head", &at, &head))
		return false;
	for (int n = 0; pointer_of(c->target, at, &head, &node, &entry); n++) {
		uint64_t raw_at = node, header;

		at = node;
		if (n > MOST_LEGS || !die_down(&entry, "next", &at, &next) ||
			!die_down(&entry, "raw", &raw_at, &raw) ||
			!mem_word(c->target, raw_at, &header))
			return false;
		head = next;
		leg_add(c, (struct wait_on){ CTT_ON_JOIN, true, true, header });
	}
	return true;
}

/* What a JoinSet has: an Arc of two lists, of tasks that have ended since it looked, and of the
 * others. */
static bool join_set(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	Dwarf_Die pointer, inner, list;
	uint64_t lists, idle;

	if (!begins(die_name(type), "IdleNotifiedSet<") ||
		!die_down(type, "pointer", &at, &pointer) || !mem_word(c->target, at, &lists) ||
		!die_type(&pointer, &inner))
		return false;
	idle = lists;
	if (!die_down(&inner, "idle", &idle, &list) || !handles(c, idle, &list))
		leg_add(c, (struct wait_on){ .kind = CTT_ON_JOIN });
	return true;
}

bool many_of(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	return unordered(c, at, type) || join_set(c, at, type);
}
