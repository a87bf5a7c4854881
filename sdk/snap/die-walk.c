/* die-walk.c - all that stands in a unit's namespaces, in one pass over its bytes. Contract in
 * die.h.
 *
 * libdw goes from one entry to the next by going through all that is below it, once more for each
 * namespace around it: of a program of a hundred megabytes that takes many seconds. Here each byte
 * is passed over once, by the sizes of the forms. What does not fit ends the walk of that unit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "die.h"
#include "search.h"

struct abbreviation {
	unsigned code, tag, form_at, forms;	/* code 0: none */
	bool parent;
};
struct forms {			/* of a unit */
	struct abbreviation *item;	/* by code */
	unsigned *form;			/* of all, in a row */
	size_t count, form_count, form_room;
};
struct reader { const unsigned char *at, *end; unsigned address, offset; bool bad; };

static uint64_t leb(struct reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		unsigned char c = *r->at++;

		if (shift < 64)
			v |= (uint64_t)(c & 127) << shift;
		if (!(c & 128))
			return v;
	}
	r->bad = true;
	return 0;
}

static uint64_t fixed(struct reader *r, unsigned size)
{
	uint64_t v = 0;

	if ((size_t)(r->end - r->at) < size || size > sizeof(v)) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->at, size);
	r->at += size;
	return v;
}

static void skip(struct reader *r, uint64_t size)
{
	if (size > (size_t)(r->end - r->at))
		r->bad = true;
	else
		r->at += size;
}

static void skip_text(struct reader *r)
{
	const unsigned char *end = memchr(r->at, 0, (size_t)(r->end - r->at));

	r->bad |= !end;
	r->at = end ? end + 1 : r->end;
}

/* The bytes that a form takes; -1: they say themselves. */
static int size_of(const struct reader *r, unsigned form)
{
	switch (form) {
	case DW_FORM_flag_present: case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1: case DW_FORM_ref1: case DW_FORM_flag: case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2: case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3: case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4: case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8: case DW_FORM_ref8: case DW_FORM_ref_sig8: case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return (int)r->address;
	case DW_FORM_strp: case DW_FORM_sec_offset: case DW_FORM_ref_addr:
	case DW_FORM_line_strp: case DW_FORM_strp_sup:
		return (int)r->offset;
	}
	return -1;
}

static void skip_form(struct reader *r, unsigned form, int depth)
{
	int size = size_of(r, form);

	if (size >= 0) {
		skip(r, (uint64_t)size);
		return;
	}
	switch (form) {
	case DW_FORM_udata: case DW_FORM_sdata: case DW_FORM_ref_udata: case DW_FORM_strx:
	case DW_FORM_addrx: case DW_FORM_loclistx: case DW_FORM_rnglistx:
		leb(r);
		break;
	case DW_FORM_string:
		skip_text(r);
		break;
	case DW_FORM_exprloc: case DW_FORM_block:
		skip(r, leb(r));
		break;
	case DW_FORM_block1:
		skip(r, fixed(r, 1));
		break;
	case DW_FORM_block2:
		skip(r, fixed(r, 2));
		break;
	case DW_FORM_block4:
		skip(r, fixed(r, 4));
		break;
	case DW_FORM_indirect:
		if (depth < 4)
			skip_form(r, (unsigned)leb(r), depth + 1);
		else
			r->bad = true;
		break;
	default:
		r->bad = true;
	}
}

/* By libdw, which has parsed them. */
static void read_forms(Dwarf_Die *unit, struct forms *f)
{
	enum { CODES = 1 << 20 };
	Dwarf_Abbrev *a;
	size_t len = 0, room = 0;
	Dwarf_Off at = 0;

	for (; (a = dwarf_getabbrev(unit, at, &len)) && a != DWARF_END_ABBREV; at += len) {
		unsigned code = dwarf_getabbrevcode(a);
		struct abbreviation new = { code, dwarf_getabbrevtag(a), (unsigned)f->form_count,
			0, dwarf_abbrevhaschildren(a) };

		if (code >= CODES)
			break;
		/* dwarf_getattrcnt takes an implicit constant of 0 for the end */
		for (size_t i = 0;; i++) {
			unsigned name, form;
			Dwarf_Off where;

			if (dwarf_getabbrevattr(a, i, &name, &form, &where) || !name)
				break;
			*ADD(f->form, f->form_count, f->form_room) = form;
			new.forms++;
		}
		while (f->count <= code)
			*ADD(f->item, f->count, room) = (struct abbreviation){ .code = 0 };
		f->item[code] = new;
	}
}

struct scope { uint64_t at; uint32_t parent; };	/* parent: index + 1; 0: the unit */
struct scopes { struct scope *item; size_t count, room; };

struct walk {
	struct reader in;
	struct forms forms;
	Dwarf *dwarf;
	Dwarf_Off base;			/* of the unit's entry, at `start` */
	const unsigned char *start;
	die_fn *fn;			/* NULL: `scopes` is wanted */
	void *arg;
	struct scopes *scopes;
};
enum { DEEP = 512 };

static bool has_name(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subprogram:
		return true;
	}
	return false;
}

static bool wanted(unsigned tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
		tag == DW_TAG_subprogram || tag == DW_TAG_variable;
}

/* within: namespaces alone. *scope: the innermost around it with a name; becomes its own. False: it
 * was told to stop. */
static bool visit(
	struct walk *w, const unsigned char *at, unsigned tag, bool within, uint32_t *scope)
{
	Dwarf_Off offset = w->base + (Dwarf_Off)(at - w->start);
	Dwarf_Die die;

	if (!w->fn) {
		if (has_name(tag)) {
			*ADD(w->scopes->item, w->scopes->count, w->scopes->room) =
				(struct scope){ offset, *scope };
			*scope = (uint32_t)w->scopes->count;
		}
		return w->scopes->count < UINT32_MAX;
	}
	return !within || !wanted(tag) || !dwarf_offdie(w->dwarf, offset, &die) ||
		w->fn(w->arg, &die);
}

static void entries(struct walk *w)
{
	struct reader *r = &w->in;
	uint32_t scope[DEEP] = { 0 };	/* of each level, the innermost with a name */
	/* spaces: down to there, levels that are namespaces without a break from the outermost on */
	size_t depth = 0, spaces = 0;

	while (r->at < r->end && !r->bad) {
		const unsigned char *at = r->at;
		uint64_t code = leb(r);
		const struct abbreviation *a = code < w->forms.count ? &w->forms.item[code] : NULL;
		uint32_t here = scope[depth];

		if (!code) {		/* the end of what is below something */
			spaces = spaces == depth && spaces ? spaces - 1 : spaces;
			if (!depth || !--depth)
				return;
			continue;
		}
		if (!a || !a->code || depth + 1 == DEEP)
			return;
		for (unsigned i = 0; i < a->forms; i++)
			skip_form(r, w->forms.form[a->form_at + i], 0);
		if (r->bad || (depth && !visit(w, at, a->tag, spaces == depth, &here)))
			return;
		if (!a->parent)
			continue;
		spaces += spaces == depth && (a->tag == DW_TAG_namespace || !depth);
		scope[++depth] = here;
	}
}

static void walk(struct walk *w, Dwarf_Die *unit)
{
	Dwarf_Off next, cu;
	uint8_t address = 0, offset = 0;
	size_t header;
	Dwarf_Die self;

	w->dwarf = dwarf_cu_getdwarf(unit->cu);
	w->base = dwarf_dieoffset(unit);
	w->start = unit->addr;
	cu = w->base - dwarf_cuoffset(unit);
	if (!dwarf_diecu(unit, &self, &address, &offset) ||
		dwarf_nextcu(w->dwarf, cu, &next, &header, NULL, NULL, NULL) || next <= w->base)
		return;
	w->in = (struct reader){ w->start, w->start + (next - w->base), address, offset, false };
	read_forms(unit, &w->forms);
	entries(w);
	free(w->forms.item);
	free(w->forms.form);
}

void die_walk(Dwarf_Die *unit, die_fn *fn, void *arg)
{
	struct walk w = { .fn = fn, .arg = arg };

	walk(&w, unit);
}

static struct hash known;		/* by unit: its scopes */

static const struct scopes *scopes_of(Dwarf_Die *unit)
{
	uint64_t key = (uint64_t)(uintptr_t)unit->addr;
	struct scopes *s = hash_find(&known, key);

	if (!s) {
		struct walk w = { .scopes = s = need(calloc(1, sizeof(*s))) };

		walk(&w, unit);
		hash_add(&known, key, s);
	}
	return s;
}

void die_forget(void)
{
	struct scopes *s;

	for (size_t at = 0; (s = hash_each(&known, &at));) {
		free(s->item);
		free(s);
	}
	hash_free(&known);
}

char *die_path(Dwarf_Die *d, bool self, char *buf, size_t size)
{
	enum { MOST = 64 };
	Dwarf_Die unit, scope[MOST];
	const struct scopes *s = dwarf_diecu(d, &unit, NULL, NULL) ? scopes_of(&unit) : NULL;
	Dwarf_Off at = dwarf_dieoffset(d);
	size_t i = s ? first_from(s->item, s->count, sizeof(*s->item), at) : 0, count = 0, len = 0;

	snprintf(buf, size, "%s", self ? die_name(d) : "");	/* pointers and numbers are nowhere */
	if (!s || i == s->count || s->item[i].at != at)
		return buf;
	buf[0] = '\0';
	for (uint32_t up = self ? (uint32_t)i + 1 : s->item[i].parent; up && count < MOST;
		up = s->item[up - 1].parent)
		count += dwarf_offdie(dwarf_cu_getdwarf(d->cu), s->item[up - 1].at,
				 &scope[count]) != NULL;
	while (count-- > 0 && len < size) {
		const char *name = die_name(&scope[count]);

		if (*name)
			len += (size_t)snprintf(
				buf + len, size - len, "%s%s", len ? "::" : "", name);
	}
	return buf;
}
