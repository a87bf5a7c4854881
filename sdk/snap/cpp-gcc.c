/* cpp-gcc.c - where the co_awaits of a coroutine stand in its source, of gcc's. Contracts in cpp.h.
 *
 * No compiler keeps the line of an await by its number. Of gcc's, each co_await calls await_ready:
 * where that is inlined, the call's line and column stand in the debug information, else the call's
 * address has them; in the order of the text they are the co_awaits, if there are as many as the
 * frame has awaiters. Else those are known whose number is seen to be written into the frame.
 */
#include <stdlib.h>
#include <string.h>

#include "cpp.h"

static const char *call_file(Dwarf_Die *call, Dwarf_Die *unit)
{
	Dwarf_Files *files;
	size_t count;
	uint64_t i = die_number(call, DW_AT_call_file, UINT64_MAX);
	const char *name = dwarf_getsrcfiles(unit, &files, &count) || i >= count ?
		NULL :
		dwarf_filesrc(files, i, NULL, NULL);

	return name ? name : "";
}

static void find_inlined(struct kind *k, Dwarf_Die *in, bool by_line, int depth)
{
	enum { MOST = 256 };
	Dwarf_Die c, unit;

	if (depth > MOST || dwarf_child(in, &c) || !dwarf_diecu(in, &unit, NULL, NULL))
		return;
	do {
		int tag = dwarf_tag(&c);
		const char *name = tag == DW_TAG_inlined_subroutine ? die_name(&c) : "";
		struct await found = { .line = die_number(&c, DW_AT_call_line, 0) };

		if (!strncmp(name, "await_", 6)) {
			found.column = die_number(&c, DW_AT_call_column, 0);
			await_add(k, found, call_file(&c, &unit), by_line);
		} else if (tag == DW_TAG_lexical_block || (*name && !strcmp(name, k->func))) {
			find_inlined(k, &c, by_line, depth + 1);
		}
	} while (!dwarf_siblingof(&c, &c));
}

static void find_calls(struct kind *k, const char *of, bool by_line)
{
	const unsigned char *text = kind_code(k, k->resume, k->text_size);

	for (size_t i = 0; text && i + 5 <= k->text_size; i++) {
		int line, column;
		uint64_t target;
		const char *name = code_call(k, k->resume + i, text + i, &target), *file;

		if (name && strstr(name, of) &&
			code_line(k, k->resume + i, &file, &line, &column))
			await_add(k,
				(struct await){ .line = (uint64_t)line,
					.column = (uint64_t)column },
				file, by_line);
	}
}

/* What mov $n, reg writes there, the nearest ahead of `end`; 0: none is near. */
static uint64_t number_in(const unsigned char *text, size_t end, unsigned reg)
{
	enum { FAR = 64, LENGTH = 5 };
	uint32_t number;

	for (size_t i = end; i-- && end - i < FAR;)
		if (i + LENGTH <= end && text[i] == (0xb8 | (reg & 7)) &&
			(i && text[i - 1] == 0x41) == (reg > 7)) {
			memcpy(&number, text + i + 1, sizeof(number));
			return number;
		}
	return 0;
}

/* movw $n, disp(reg), or of a register that has it, to where the frame has its index: that; 0: it is
 * none, or n is not known. */
static uint64_t index_written(const struct kind *k, const unsigned char *text, size_t i)
{
	enum { LONGEST = 10, HIGH = 4 };
	const bool rex = (text[i + 1] & 0xf0) == 0x40;
	const unsigned char *p = text + i + 1 + rex, *at = p + 2 + ((p[1] & 7) == 4);
	const bool number = *p == 0xc7;
	const unsigned mode = p[1] >> 6, reg = p[1] >> 3 & 7;
	uint32_t wide;
	uint16_t n;

	memcpy(&wide, at, sizeof(wide));
	if (text[i] != 0x66 || (!number && *p != 0x89) || (number && reg) ||
		(mode == 1 ? *at > 127 || *at != k->index_at : mode != 2 || wide != k->index_at))
		return 0;
	if (!number)
		return number_in(text, i, rex && text[i + 1] & HIGH ? reg + 8 : reg);
	memcpy(&n, at + (mode == 1 ? 1 : 4), sizeof(n));
	return n;
}

/* Is it the function's own code, and not of another coroutine that is inlined there? */
static bool own_code(struct kind *k, uint64_t addr)
{
	Dwarf_Addr bias;
	Dwarf_Die in;

	if (!dwfl_module_getdwarf(k->module, &bias))
		return false;
	function_within(&k->function, addr - bias, &in);
	return !strcmp(die_name(&in), k->func);
}

/* Where an await_ready was inlined and nothing is left of it, as it returns false always, the number
 * is written still: at the line of the co_await. The first is of the initial suspension. */
static void find_stores(struct kind *k)
{
	enum { LONGEST = 16, FIRST = 4 };
	const unsigned char *text = kind_code(k, k->resume, k->text_size);

	for (size_t i = 0; text && i + LONGEST <= k->text_size; i++) {
		uint64_t index = index_written(k, text, i);
		int line, column;
		const char *file;

		if (index >= FIRST && !(index & 1) && index < 2 * AWAITS + FIRST &&
			code_line(k, k->resume + i, &file, &line, &column) &&
			own_code(k, k->resume + i))
			await_add(k,
				(struct await){ .index = index,
					.line = (uint64_t)line,
					.column = (uint64_t)column },
				file, true);
	}
	awaits_doubtful(k);
}

static int by_place(const void *a, const void *b)
{
	const struct await *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

static void forget(struct kind *k)
{
	for (size_t i = 0; i < k->awaits; i++)
		free(k->await[i].file);
	k->awaits = 0;
}

/* Are those found the co_awaits, one for each awaiter in the frame? */
static bool number(struct kind *k)
{
	bool matches = k->awaits == k->awaiters && !k->crowded;

	for (size_t i = 1; i < k->awaits; i++)
		/* by a macro or an include: no order */
		matches &= !strcmp(k->await[i].file, k->await[0].file);
	if (!matches)
		return false;
	qsort(k->await, k->awaits, sizeof(*k->await), by_place);
	for (size_t i = 0; i < k->awaits; i++)
		k->await[i].index = 2 * i + 4;
	return true;
}

void awaits_gcc(struct kind *k)
{
	k->starts_suspended = true;
	if (!k->layout || !k->awaiters || !k->func)
		return;
	find_inlined(k, &k->function, false, 0);
	if (number(k))
		return;
	forget(k);
	find_calls(k, "await_ready", false);
	if (number(k))
		return;
	forget(k);			/* some are inlined, some are not; their columns differ */
	find_inlined(k, &k->function, true, 0);
	find_calls(k, "await_", true);
	if (number(k))
		return;
	forget(k);
	find_stores(k);
}
