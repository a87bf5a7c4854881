/* cpp-slots.c - the members of clang's frames that are called by their types, as awaiters are.
 * Contracts in cpp.h. */
#include <string.h>

#include "cpp.h"

/* struct_app__mutex__operation, class_app__mutex_Ptr, struct_awaiter_17 of awaiter<int> */
static bool called_as(const char *member, Dwarf_Die *class, const char *end)
{
	char path[256], plain[256];
	size_t len = 0, depth = 0;

	member += !strncmp(member, "struct_", 7) ? 7 : !strncmp(member, "class_", 6) ? 6 : 0;
	die_path(class, true, path, sizeof(path));
	for (const char *p = path; *p; p++) {
		depth += *p == '<';
		if (!depth)
			plain[len++] = *p == ':' || *p == '.' ? '_' : *p;
		depth -= *p == '>' && depth;
	}
	if (!len || strncmp(member, plain, len))
		return false;
	member += len;
	if (*member == '_' && member[1] >= '0' && member[1] <= '9')
		member += 1 + strspn(member + 1, "0123456789");
	return !strcmp(member, end);
}

bool slot_of(const struct slot *s, Dwarf_Die *class)
{
	return called_as(s->type, class, "_Ptr");
}

/* The awaiters of one class, in the order of their numbers, are the members of that name in theirs,
 * if there are as many, or but one. */
static void place(struct kind *k, struct awaiter *a)
{
	size_t slots = 0, before = 0, all = 0, found = 0;
	const struct slot *at = NULL;

	for (size_t i = 0; i < k->slots; i++)
		slots += called_as(k->slot[i].type, &a->type, "");
	for (size_t i = 0; i < k->awaiters; i++)
		if (dwarf_dieoffset(&k->awaiter[i].type) == dwarf_dieoffset(&a->type)) {
			before += k->awaiter[i].order < a->order;
			all++;
		}
	for (size_t i = 0; i < k->slots && !at; i++)
		if (called_as(k->slot[i].type, &a->type, "") && (slots == 1 || found++ == before))
			at = &k->slot[i];
	if (!at || (slots != 1 && slots != all))
		return;
	a->at = at->at;
	a->placed_by_name = true;
}

/* clang 14 writes the same of an object in the frame and of one that the frame points to. */
static void check_elsewhere(struct kind *k, struct awaiter *a)
{
	for (size_t i = 0; i < k->slots; i++)
		if (k->slot[i].at == a->at) {
			a->elsewhere = called_as(k->slot[i].type, &a->type, "_Ptr");
			a->unknown |= !a->elsewhere && !called_as(k->slot[i].type, &a->type, "");
			return;
		}
	a->unknown |= k->slots;
}

void awaiters_clang(struct kind *k)
{
	for (size_t i = 0; i < k->awaiters; i++)
		if (k->awaiter[i].elsewhere)
			check_elsewhere(k, &k->awaiter[i]);
	for (size_t i = 0; i < k->awaiters; i++)
		if (k->awaiter[i].apart)
			place(k, &k->awaiter[i]);
	for (size_t i = 0; i < k->awaiters; i++)
		if (k->awaiter[i].placed_by_name)
			k->awaiter[i].apart = false;
}
