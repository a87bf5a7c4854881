/* cpp-awaits.c - the co_awaits of a coroutine, as they are found, and the lines of its code.
 * Contracts in cpp.h. */
#include <stdlib.h>
#include <string.h>

#include "cpp.h"
#include "elf-unit.h"

/* Is it one that the compiler added at an end of the function? */
static bool implied(const struct kind *k, const struct await *a)
{
	return !a->line || a->line == k->line ||
		(a->line == k->end_line && a->column == k->end_column);
}

/* `by_line`: one a line is all that is wanted. */
void await_add(struct kind *k, struct await new, const char *file, bool by_line)
{
	/* clang: one with a number of its own may stand in the function's line */
	if (k->gcc || !new.index ? implied(k, &new) : !new.line)
		return;
	for (size_t i = 0; i < k->awaits; i++)
		if (k->await[i].line == new.line && k->await[i].index == new.index &&
			(by_line || k->await[i].column == new.column))
			return;
	k->crowded |= k->awaits == AWAITS;
	if (k->crowded)
		return;
	new.file = copy_text(file, strlen(file));
	*ADD(k->await, k->awaits, k->await_room) = new;
}

const unsigned char *kind_code(const struct kind *k, uint64_t addr, uint64_t size)
{
	return module_code(k->module, addr, size);
}

bool code_line(const struct kind *k, uint64_t addr, const char **file, int *line, int *column)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = elf_unit(k->module, addr, &bias);
	Dwarf_Line *l = unit ? dwarf_getsrc_die(unit, addr - bias) : NULL;

	*file = l ? dwarf_linesrc(l, NULL, NULL) : NULL;
	return *file && !dwarf_lineno(l, line) && !dwarf_linecol(l, column) && *line;
}

/* call rel32, or jmp rel32 where nothing is left to do behind it */
const char *code_call(
	const struct kind *k, uint64_t addr, const unsigned char *p, uint64_t *target)
{
	int32_t relative;
	const char *name;
	GElf_Off into = 0;
	GElf_Sym sym;

	if (*p != 0xe8 && *p != 0xe9)
		return NULL;
	memcpy(&relative, p + 1, sizeof(relative));
	*target = addr + 5 + (uint64_t)(int64_t)relative;
	name = dwfl_module_addrinfo(k->module, *target, &into, &sym, NULL, NULL, NULL);
	return into ? NULL : name;
}

const struct await *await_at(const struct kind *k, uint64_t index)
{
	for (size_t i = 0; i < k->awaits; i++)
		if (k->await[i].index == index && k->await[i].line)
			return &k->await[i];
	return NULL;
}

void awaits_doubtful(struct kind *k)
{
	for (size_t i = 0; i < k->awaits; i++)
		for (size_t n = 0; n < i; n++)
			if (k->await[i].index == k->await[n].index &&
				k->await[i].line != k->await[n].line)
				k->await[i].line = k->await[n].line = 0;
}
