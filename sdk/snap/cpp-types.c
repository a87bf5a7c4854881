/* cpp-types.c - how the frame of each coroutine function is laid out, by debug information.
 * Contracts in cpp.h. */
#include <stdlib.h>
#include <string.h>

#include "cpp.h"

enum { DEPTH = 12 };

static bool ends(const char *s, const char *with)
{
	size_t a = strlen(s), b = strlen(with);

	return a >= b && !strcmp(s + a - b, with);
}

/* The handles of other coroutines in a promise: whoever is to be resumed when this one ends. */
static void find_handles(struct kind *k, Dwarf_Die *type, uint64_t at, int depth, size_t *left)
{
	Dwarf_Die m, of;

	if (depth > 4 || dwarf_child(type, &m))
		return;
	do {
		uint64_t there = at + die_number(&m, DW_AT_data_member_location, 0);

		if (!*left || !--*left)
			return;
		if ((dwarf_tag(&m) != DW_TAG_member && dwarf_tag(&m) != DW_TAG_inheritance) ||
			!die_type(&m, &of) || dwarf_hasattr(&m, DW_AT_external))
			continue;
		if (begins(die_name(&of), "coroutine_handle")) {
			*ADD(k->handle, k->handles, k->handle_room) = there;
		} else if (dwarf_tag(&of) == DW_TAG_structure_type ||
			dwarf_tag(&of) == DW_TAG_class_type) {
			find_handles(k, &of, there, depth + 1, left);
		}
	} while (!dwarf_siblingof(&m, &m));
}

static void set_promise(struct kind *k, Dwarf_Die *type)
{
	size_t left = DIE_MEMBERS;

	k->promise_size = die_size(type);
	if (!k->handles)
		find_handles(k, type, k->promise_at, 0, &left);
}

static void set_index(struct kind *k, Dwarf_Die *m)
{
	Dwarf_Die type;
	uint64_t bit = die_number(m, DW_AT_data_bit_offset, 0);

	k->index_at = die_number(m, DW_AT_data_member_location, 0) + bit / 8;
	k->index_shift = bit % 8;
	k->index_bits = die_number(m, DW_AT_bit_size, 0);
	if (!k->index_bits && die_type(m, &type))
		k->index_bits = 8 * die_size(&type);
}

/* Aw0_2_3, or clang's struct_readable_2. */
static void add_awaiter(struct kind *k, Dwarf_Die *m, Dwarf_Die *type)
{
	*ADD(k->awaiter, k->awaiters, k->awaiter_room) = (struct awaiter){
		.at = die_number(m, DW_AT_data_member_location, 0),
		.order = (unsigned)strtoul(die_name(m) + 2, NULL, 10),
		.type = *type
	};
}

/* gcc: x_1_2, where a parameter keeps its name. */
static bool is_local(const char *name)
{
	const char *digit = name + strlen(name);

	for (int parts = 0; parts < 2; parts++) {
		const char *end = digit;

		while (digit > name && digit[-1] >= '0' && digit[-1] <= '9')
			digit--;
		if (digit == end || digit == name || *--digit != '_')
			return false;
	}
	return true;
}

static void add_argument(struct kind *k, Dwarf_Die *m, Dwarf_Die *type)
{
	uint64_t encoding = die_number(type, DW_AT_encoding, 0), size = die_size(type);

	if (dwarf_tag(type) != DW_TAG_base_type || size > 8 || k->arguments == FIELDS ||
		is_local(die_name(m)) || (encoding != DW_ATE_signed && encoding != DW_ATE_unsigned))
		return;
	*ADD(k->argument, k->arguments, k->argument_room) = (struct field){
		die_number(m, DW_AT_data_member_location, 0), size, encoding == DW_ATE_signed,
		copy_text(die_name(m), strlen(die_name(m)))
	};
}

/* Does clang call it by what it is? */
static bool is_slot(const char *type)
{
	return begins(type, "struct_") || begins(type, "class_");
}

static void add_slot(struct kind *k, Dwarf_Die *m, const char *type)
{
	*ADD(k->slot, k->slots, k->slot_room) = (struct slot){
		die_number(m, DW_AT_data_member_location, 0), copy_text(type, strlen(type))
	};
}

/* Of the function, is that the name of a parameter? */
static bool is_parameter(Dwarf_Die *function, const char *name)
{
	Dwarf_Die c;

	if (!*name || !strcmp(name, "this") || dwarf_child(function, &c))
		return false;
	do
		if (dwarf_tag(&c) == DW_TAG_formal_parameter && !strcmp(die_name(&c), name))
			return true;
	while (!dwarf_siblingof(&c, &c));
	return false;
}

static void frame_member(struct kind *k, Dwarf_Die *m, Dwarf_Die *function, bool *indexed)
{
	const char *name = die_name(m);
	Dwarf_Die type;

	if (dwarf_tag(m) != DW_TAG_member || !die_type(m, &type))
		return;
	if (!strcmp(name, "_Coro_resume_index") || !strcmp(name, "__coro_index")) {
		set_index(k, m);
		*indexed = true;
	} else if (!strcmp(name, "_Coro_promise") || !strcmp(name, "__promise")) {
		k->promise_at = die_number(m, DW_AT_data_member_location, 0);
		set_promise(k, &type);
	} else if (k->gcc && begins(name, "Aw") && name[2] >= '0' && name[2] <= '9') {
		add_awaiter(k, m, &type);
	} else if (!k->gcc && is_slot(die_name(&type))) {
		add_slot(k, m, die_name(&type));
	} else if (k->gcc ? name[0] != '_' : is_parameter(function, name)) {
		add_argument(k, m, &type);
	}
}

static void frame_type(struct kind *k, Dwarf_Die *type, Dwarf_Die *function)
{
	Dwarf_Die m;
	bool indexed = false;

	if (k->layout || dwarf_child(type, &m))
		return;
	k->size = die_size(type);
	k->end_line = die_number(type, DW_AT_decl_line, 0);	/* gcc makes it up there */
	k->end_column = die_number(type, DW_AT_decl_column, 0);
	do
		frame_member(k, &m, function, &indexed);
	while (!dwarf_siblingof(&m, &m));
	/* One that is never suspended but at its ends may have none. */
	k->layout = k->size && (indexed || !k->gcc);
}

/* gcc: of the struct _Z5servei.Frame, each kind that it is the frame of:
 * _Z5serveP13_Z5servei.Frame */
static void gcc_frame(Dwarf_Die *type, Dwarf_Die *function)
{
	const char *name = die_name(type);

	for (size_t i = 0; i < cpp_kinds.count; i++) {
		struct kind *k = &cpp_kinds.item[i];
		size_t cut;

		if (!k->gcc || !ends(k->stem, name))
			continue;
		cut = strlen(k->stem) - strlen(name);
		if (cut && k->stem[cut - 1] >= '0' && k->stem[cut - 1] <= '9')
			frame_type(k, type, function);
	}
}

struct walk { Dwarf_Addr bias; int depth; Dwarf_Die *function; struct kind *kind; };

static bool visit(void *arg, Dwarf_Die *d);

/* The kind whose resume function's code this is; its name, its frame, its awaits. */
static struct kind *describe(Dwarf_Die *function, Dwarf_Addr bias)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	struct kind *k = NULL;

	while (!k && (at = dwarf_ranges(function, at, &base, &low, &high)) > 0)
		k = kind_with(low + bias, high + bias);
	if (!k || k->func)
		return k;
	k->func = copy_text(die_name(function), strlen(die_name(function)));
	k->file = copy_text(die_file(function), strlen(die_file(function)));
	k->line = die_number(function, DW_AT_decl_line, 0);
	k->function = *function;
	return k;
}

static void variable(struct walk *w, Dwarf_Die *d)
{
	const char *name = die_name(d);
	Dwarf_Die type;

	if (!w->kind || w->kind->gcc || !die_type(d, &type))
		return;
	if (!strcmp(name, "__coro_frame") && dwarf_tag(&type) == DW_TAG_structure_type)
		frame_type(w->kind, &type, w->function);
	else if (!strcmp(name, "__promise"))
		set_promise(w->kind, &type);
}

static void descend(const struct walk *w, Dwarf_Die *d, Dwarf_Die *function, struct kind *k)
{
	struct walk in = { w->bias, w->depth + 1, function, k };

	if (in.depth < DEPTH)
		die_children(d, visit, &in);
}

static bool visit(void *arg, Dwarf_Die *d)
{
	struct walk *w = arg;
	const char *name;

	switch (dwarf_tag(d)) {
	case DW_TAG_subprogram:
		descend(w, d, d, describe(d, w->bias));
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		name = die_name(d);
		if (ends(name, ".Frame"))
			gcc_frame(d, w->function);
		else if (w->kind &&
			(!strcmp(name, "__coro_frame_ty") || ends(name, ".coro_frame_ty")))
			frame_type(w->kind, d, w->function);
		else
			descend(w, d, w->function, w->kind);
		break;
	case DW_TAG_variable:
		variable(w, d);
		break;
	case DW_TAG_namespace:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
		descend(w, d, w->function, w->kind);
		break;
	}
	return true;
}

static void unit_types(Dwarf_Die *unit, Dwarf_Addr bias)
{
	struct walk w = { .bias = bias };

	die_children(unit, visit, &w);
}

static bool has_kinds(Dwarf_Die *unit, Dwarf_Addr bias)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0)
		if (kind_with(low + bias, high + bias))
			return true;
	return false;
}

/* Of the module's functions, is there one (without its layout)? */
static bool any_of(Dwfl_Module *m, bool without_layout)
{
	for (size_t i = 0; i < cpp_kinds.count; i++) {
		const struct kind *k = &cpp_kinds.item[i];

		if (k->module == m && (!without_layout || (k->gcc && k->func && !k->layout)))
			return true;
	}
	return false;
}

static void module_types(Dwfl_Module *m)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias, base, low, high;
	bool split = false;

	while (any_of(m, false) && (unit = dwfl_module_nextcu(m, unit, &bias)))
		if (has_kinds(unit, bias)) {
			split |= die_is_split(unit);
			unit_types(unit, bias);
		}
	if (split)
		note("the debug information of C++20 frames is split off (-gsplit-dwarf), and not read: no lines, nor what they wait on\n");
	/* Link-time optimisation by gcc leaves the types in units that have no code. */
	while (any_of(m, true) && (unit = dwfl_module_nextcu(m, unit, &bias)))
		if (dwarf_ranges(unit, 0, &base, &low, &high) <= 0)
			unit_types(unit, bias);
}

void kinds_types(struct target *t, size_t from)
{
	for (size_t i = from; i < t->modules; i++)
		module_types(t->module[i].dwfl);
}
