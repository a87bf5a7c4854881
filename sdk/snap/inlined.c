/* inlined.c - the functions at an address, by the debug information. Contracts in snap.h. */
#include "die.h"
#include "elf-unit.h"
#include "snap.h"

struct path {			/* functions around an address, the outermost first */
	Dwarf_Die die[INLINED];
	size_t count;
};

/* Not dwarf_getscopes: it goes on where an inlined function was written, not where it was
 * inlined. */
static bool descend(Dwarf_Die *parent, Dwarf_Addr pc, struct path *p, int depth)
{
	Dwarf_Die child;

	if (depth > 64 || dwarf_child(parent, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);
		bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;

		if (tag == DW_TAG_namespace && descend(&child, pc, p, depth + 1))
			return true;
		if ((!function && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, pc) != 1)
			continue;
		if (function && p->count < INLINED)
			p->die[p->count++] = child;
		descend(&child, pc, p, depth + 1);
		return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

bool function_at(Dwfl_Module *module, uint64_t pc, Dwarf_Die *to, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = elf_unit(module, pc, bias);
	struct path p = { .count = 0 };

	if (!unit || !descend(unit, pc - *bias, &p, 0) || !p.count)
		return false;
	*to = p.die[0];
	return true;
}

void function_within(Dwarf_Die *function, Dwarf_Addr pc, Dwarf_Die *to)
{
	struct path p = { .count = 0 };

	descend(function, pc, &p, 0);
	*to = p.count ? p.die[p.count - 1] : *function;
}

size_t sources_at(Dwfl_Module *module, uint64_t pc, struct source to[INLINED])
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = elf_unit(module, pc, &bias);
	Dwarf_Line *at = unit ? dwarf_getsrc_die(unit, pc - bias) : NULL;
	const char *file = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
	struct path p = { .count = 0 };
	Dwarf_Files *files = NULL;
	size_t file_count = 0, n = 0;
	int line = 0;

	if (at)
		dwarf_lineno(at, &line);
	if (unit && !dwarf_getsrcfiles(unit, &files, &file_count))
		descend(unit, pc - bias, &p, 0);
	for (size_t i = p.count; i-- > 0;) {
		uint64_t number = die_number(&p.die[i], DW_AT_call_file, UINT64_MAX);

		to[n++] = (struct source){ die_name(&p.die[i]), file, (uint64_t)line };
		file = number < file_count ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
		line = (int)die_number(&p.die[i], DW_AT_call_line, 0);
	}
	if (!n)
		to[n++] = (struct source){ NULL, file, (uint64_t)line };
	return n;
}
