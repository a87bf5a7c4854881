/* die.c - reading types out of debug information. Contracts in die.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

const char *die_name(Dwarf_Die *d)
{
	Dwarf_Attribute a;
	const char *s = dwarf_diename(d);

	if (!s && dwarf_attr_integrate(d, DW_AT_name, &a))
		s = dwarf_formstring(&a);
	return s ? s : "";
}

const char *die_file(Dwarf_Die *d)
{
	const char *s = dwarf_decl_file(d);

	return s ? s : "";
}

uint64_t die_number(Dwarf_Die *d, unsigned attribute, uint64_t none)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	return dwarf_attr_integrate(d, attribute, &a) && !dwarf_formudata(&a, &w) ? w : none;
}

bool die_is_split(Dwarf_Die *unit)
{
	uint8_t type;

	return !dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) &&
		type == DW_UT_skeleton;
}

static bool is_alias(int tag)
{
	switch (tag) {
	case DW_TAG_typedef: case DW_TAG_const_type: case DW_TAG_volatile_type:
	case DW_TAG_restrict_type: case DW_TAG_atomic_type: case DW_TAG_immutable_type:
	case DW_TAG_packed_type: case DW_TAG_shared_type:
		return true;
	}
	return false;
}

/* As dwarf_peel_type, which goes round for ever where they do. */
static bool peel(Dwarf_Die *type)
{
	enum { MOST = 64 };
	Dwarf_Attribute a;

	for (int i = 0; is_alias(dwarf_tag(type)); i++)
		if (i == MOST || !dwarf_attr_integrate(type, DW_AT_type, &a) ||
			!dwarf_formref_die(&a, type))
			return false;
	return true;
}

bool die_type(Dwarf_Die *d, Dwarf_Die *type)
{
	Dwarf_Attribute a;
	Dwarf_Die of;

	if (!dwarf_attr_integrate(d, DW_AT_type, &a) || !dwarf_formref_die(&a, &of) || !peel(&of))
		return false;
	*type = of;
	return true;
}

/* Will libdw come to an end with it? It peels the types of an array's elements and of its bounds. */
static bool has_size(Dwarf_Die *type)
{
	enum { MOST = 64 };
	Dwarf_Die of = *type, c, bound;

	if (!peel(&of))
		return false;
	for (int i = 0; dwarf_tag(&of) == DW_TAG_array_type; i++) {
		if (!dwarf_child(&of, &c))
			do
				if (dwarf_hasattr_integrate(&c, DW_AT_type) &&
					!die_type(&c, &bound))
					return false;
			while (!dwarf_siblingof(&c, &c));
		if (i == MOST || !die_type(&of, &of))
			return false;
	}
	return true;
}

uint64_t die_size(Dwarf_Die *type)
{
	Dwarf_Word size;

	return !has_size(type) || dwarf_aggregate_size(type, &size) ? 0 : size;
}

/* within: so many variants */
static bool any_part(Dwarf_Die *type, bool parameters, bool (*is)(Dwarf_Die *of, int depth),
	int depth, int within)
{
	enum { MOST = 16 };
	Dwarf_Die c, of;
	bool any = false;

	if (within > MOST || dwarf_child(type, &c))
		return false;
	do {
		int tag = dwarf_tag(&c);

		if (tag == DW_TAG_variant_part || tag == DW_TAG_variant)
			any = any_part(&c, parameters, is, depth, within + 1);
		else if ((tag == DW_TAG_member ||
				 (parameters && tag == DW_TAG_template_type_parameter)) &&
			die_type(&c, &of))
			any = is(&of, depth + 1);
	} while (!any && !dwarf_siblingof(&c, &c));
	return any;
}

bool die_any_part(
	Dwarf_Die *type, bool parameters, bool (*is)(Dwarf_Die *of, int depth), int depth)
{
	return any_part(type, parameters, is, depth, 0);
}

/* left: so many members more are looked at */
static bool member(Dwarf_Die *type, const char *name, uint64_t *at, Dwarf_Die *of, size_t *left)
{
	Dwarf_Die m, none;

	if (dwarf_child(type, &m))
		return false;
	do {
		if (!*left || !--*left)
			return false;
		if (dwarf_tag(&m) != DW_TAG_member || strcmp(die_name(&m), name))
			continue;
		if (at)
			*at += die_number(&m, DW_AT_data_member_location, 0);
		return die_type(&m, of ? of : &none);
	} while (!dwarf_siblingof(&m, &m));
	return false;
}

bool die_member(Dwarf_Die *type, const char *name, uint64_t *at, Dwarf_Die *of)
{
	size_t left = SIZE_MAX;

	return member(type, name, at, of, &left);
}

bool die_members(Dwarf_Die *type, const char *path, uint64_t *at, Dwarf_Die *of)
{
	Dwarf_Die in = *type;
	char name[64];
	uint64_t sum = 0;

	while (*path) {
		size_t len = strcspn(path, ".");
		Dwarf_Die next;

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		if (!die_member(&in, name, &sum, &next))
			return false;
		in = next;
		path += len + (path[len] == '.');
	}
	if (at)
		*at += sum;
	if (of)
		*of = in;
	return true;
}

static bool down(
	Dwarf_Die *in, const char *name, uint64_t *at, Dwarf_Die *of, int depth, size_t *left)
{
	Dwarf_Die m, type, other;

	if (dwarf_tag(in) == DW_TAG_structure_type && member(in, name, at, of, left))
		return true;
	if (depth > 12 || dwarf_child(in, &m))
		return false;
	do {
		uint64_t there = *at + die_number(&m, DW_AT_data_member_location, 0);
		int tag = dwarf_tag(&m);

		if (!*left || !--*left)
			return false;
		if (tag == DW_TAG_variant && !dwarf_siblingof(&m, &other))
			return false;	/* which of them it is only the value says */
		if (tag == DW_TAG_variant_part || tag == DW_TAG_variant) {
			if (down(&m, name, at, of, depth + 1, left))
				return true;
		} else if (tag == DW_TAG_member && die_type(&m, &type) &&
			dwarf_tag(&type) == DW_TAG_structure_type &&
			down(&type, name, &there, of, depth + 1, left)) {
			*at = there;
			return true;
		}
	} while (!dwarf_siblingof(&m, &m));
	return false;
}

bool die_down(Dwarf_Die *type, const char *name, uint64_t *at, Dwarf_Die *of)
{
	size_t left = DIE_MEMBERS;

	return down(type, name, at, of, 0, &left);
}

/* What a function out of line or inlined was made from has its parameters. */
static bool origin(Dwarf_Die *d)
{
	Dwarf_Attribute a;

	return (dwarf_attr(d, DW_AT_abstract_origin, &a) ||
		       dwarf_attr(d, DW_AT_specification, &a)) &&
		dwarf_formref_die(&a, d);
}

bool die_parameter(Dwarf_Die *d, const char *name, Dwarf_Die *type)
{
	Dwarf_Die in = *d, c;

	for (int i = 0; i < 3; i++) {
		if (!dwarf_child(&in, &c))
			do
				if (dwarf_tag(&c) == DW_TAG_template_type_parameter &&
					!strcmp(die_name(&c), name))
					return die_type(&c, type);
			while (!dwarf_siblingof(&c, &c));
		if (!origin(&in))
			return false;
	}
	return false;
}

/* The value of the variant part's discriminant, where it has one. */
static bool discriminant(const struct target *t, uint64_t at, Dwarf_Die *part, uint64_t *value)
{
	Dwarf_Attribute a;
	Dwarf_Die m, type;
	unsigned char b[8] = "";
	uint64_t size;

	if (!dwarf_attr(part, DW_AT_discr, &a) || !dwarf_formref_die(&a, &m) ||
		!die_type(&m, &type))
		return false;
	size = die_size(&type);
	if (!size ||
		!mem_read(t, at + die_number(&m, DW_AT_data_member_location, 0), b,
			size > 8 ? 8 : size))
		return false;
	memcpy(value, b, 8);
	return true;
}

/* That of the value, else the one that has none: any other value means it. */
static bool variant_of(Dwarf_Die *part, bool has, uint64_t value, Dwarf_Die *member)
{
	Dwarf_Die v, m;
	Dwarf_Attribute a;
	bool other = false;

	if (dwarf_child(part, &v))
		return false;
	do {
		Dwarf_Word is;

		if (dwarf_tag(&v) != DW_TAG_variant || dwarf_child(&v, &m))
			continue;
		if (!dwarf_attr(&v, DW_AT_discr_value, &a)) {
			*member = m;
			other = true;
		} else if (has && !dwarf_formudata(&a, &is) && is == value) {
			*member = m;
			return true;
		}
	} while (!dwarf_siblingof(&v, &v));
	return other;
}

bool die_variant(const struct target *t, uint64_t at, Dwarf_Die *type, Dwarf_Die *member,
	Dwarf_Die *fields, uint64_t *fields_at)
{
	Dwarf_Die part;
	uint64_t value = 0;

	if (dwarf_child(type, &part))
		return false;
	do
		if (dwarf_tag(&part) == DW_TAG_variant_part) {
			bool has = discriminant(t, at, &part, &value);

			if (!variant_of(&part, has, value, member) || !die_type(member, fields))
				return false;
			*fields_at = at + die_number(member, DW_AT_data_member_location, 0);
			return true;
		}
	while (!dwarf_siblingof(&part, &part));
	return false;
}

void die_children(Dwarf_Die *d, die_fn *fn, void *arg)
{
	Dwarf_Die c;

	if (dwarf_child(d, &c))
		return;
	do
		if (!fn(arg, &c))
			return;
	while (!dwarf_siblingof(&c, &c));
}
