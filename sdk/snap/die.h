/* die.h - what debug information says of types. A "die" is one entry of it. */
#ifndef SNAP_DIE_H
#define SNAP_DIE_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "target.h"

/* Of names and paths. */
static inline bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Never NULL: "" where it has none. */
const char *die_name(Dwarf_Die *);
const char *die_file(Dwarf_Die *);	/* of its declaration */
uint64_t die_number(Dwarf_Die *, unsigned attribute, uint64_t none);
bool die_type(Dwarf_Die *, Dwarf_Die *type);		/* without typedefs, const, volatile */
uint64_t die_size(Dwarf_Die *type);
/* Is it so of the type of a member, also of an enum's variants', or of a template's parameter (of a Vec
 * that alone says what it has)? Each is asked for with depth + 1, until one says so. */
bool die_any_part(
	Dwarf_Die *type, bool parameters, bool (*is)(Dwarf_Die *of, int depth), int depth);

/* Who looks for something among all that a type has by value looks at so many members at most: a small
 * file may say of a structure that it has itself in it, many times over. */
enum { DIE_MEMBERS = 1 << 16 };

/* A member of a struct by name: adds its offset to *at. False: it has none. Either may be NULL. */
bool die_member(Dwarf_Die *type, const char *name, uint64_t *at, Dwarf_Die *of);
/* The same along a path: "core.stage.stage". */
bool die_members(Dwarf_Die *type, const char *path, uint64_t *at, Dwarf_Die *of);
/* The first member of that name in it or in what it has by value, enums of one variant included. */
bool die_down(Dwarf_Die *type, const char *name, uint64_t *at, Dwarf_Die *of);
/* A template's or generic's type parameter. */
bool die_parameter(Dwarf_Die *, const char *name, Dwarf_Die *type);
/* "echo::serve": the namespaces and types around it, and with `self` its own name. Cut to size;
 * returns buf. Each unit is gone through once for that, until die_forget. */
char *die_path(Dwarf_Die *, bool self, char *buf, size_t size);

void die_forget(void);

/* Has the unit but a skeleton there, the rest in a file of its own (-gsplit-dwarf)? */
bool die_is_split(Dwarf_Die *unit);

/* inlined.c: the function with that code, not what is inlined there. False: no debug information. */
bool function_at(Dwfl_Module *, uint64_t pc, Dwarf_Die *to, Dwarf_Addr *bias);
/* The innermost one there of what was inlined into that one; itself where there is none. */
void function_within(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die *to);

/* A Rust enum at that address: the member of the variant that is there (its type has the fields),
 * *name its name. */
bool die_variant(const struct target *, uint64_t at, Dwarf_Die *type, Dwarf_Die *member,
	Dwarf_Die *fields, uint64_t *fields_at);

/* Call fn for each child, until one returns false; or for each struct, class, function and variable at any
 * depth of namespaces (die-walk.c). */
typedef bool die_fn(void *arg, Dwarf_Die *);
void die_children(Dwarf_Die *, die_fn *, void *arg);
void die_walk(Dwarf_Die *unit, die_fn *, void *arg);
#endif
