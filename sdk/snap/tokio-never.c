/* tokio-never.c - futures that may mean to be pending for ever. Contracts in tokio.h. */
#include <string.h>

#include "base/hash.h"
#include "tokio.h"

enum { DEEP = 12, MOST_LOOKS = 4096 };
static struct hash had;		/* by a type's entry */
static unsigned looks;
static const char yes[1], no[1];

/* What is behind a trait's pointer the type does not say. */
static bool is_any_future(const char *name)
{
	const char *dyn = strstr(name, "dyn ");

	return dyn && (strstr(dyn, "::Future") || strstr(dyn, "::Stream"));
}

static bool has_never(Dwarf_Die *type, int depth)
{
	const char *name = die_name(type);
	Dwarf_Die of;

	if (looks++ > MOST_LOOKS || begins(name, "Pending<") || begins(name, "Fuse<") ||
		is_any_future(name))
		return true;
	if (depth > DEEP)
		return false;
	if (dwarf_tag(type) == DW_TAG_pointer_type)
		return die_type(type, &of) && has_never(&of, depth + 1);
	return dwarf_tag(type) == DW_TAG_structure_type &&
		die_any_part(type, true, has_never, depth);
}

bool may_be_never(Dwarf_Die *type)
{
	uint64_t key = (uint64_t)(uintptr_t)type->addr;
	const char *known = hash_find(&had, key);

	if (!known) {
		looks = 0;
		known = !die_size(type) || has_never(type, 0) ? yes : no;
		hash_add(&had, key, (void *)known);
	}
	return known == yes;
}

void never_forget(void)
{
	hash_free(&had);
}
