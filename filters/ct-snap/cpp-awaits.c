/* cpp-awaits.c - where the co_awaits of a coroutine stand in its source. Contracts in cpp.h.
 *
 * No compiler keeps the line of an await by its number. Of gcc's, each co_await calls await_ready:
 * where that is inlined, the call's line and column stand in the debug information, else the call's
 * address has them; in the order of the text they are the co_awaits, if there are as many as the
 * frame has awaiters. clang writes the number into the frame just before it suspends, by one
 * instruction, whose line is the co_await's.
 */
#include <stdlib.h>
#include <string.h>

#include "cpp.h"

/* Is it one that the compiler added at an end of the function? */
static bool implied(const struct kind *k, const struct await *a)
{
	return !a->line || a->line == k->line ||
		(a->line == k->end_line && a->column == k->end_column);
}

/* `by_line`: one a line is all that is wanted. */
static void add(struct kind *k, struct await new, const char *file, bool by_line)
{
	if (implied(k, &new))
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

static void find_inlined(struct kind *k, Dwarf_Die *in, bool by_line)
{
	Dwarf_Die c, unit;

	if (dwarf_child(in, &c) || !dwarf_diecu(in, &unit, NULL, NULL))
		return;
	do {
		int tag = dwarf_tag(&c);
		const char *name = tag == DW_TAG_inlined_subroutine ? die_name(&c) : "";
		struct await found = { .line = die_number(&c, DW_AT_call_line, 0) };

		if (!strncmp(name, "await_", 6)) {
			found.column = die_number(&c, DW_AT_call_column, 0);
			add(k, found, call_file(&c, &unit), by_line);
		} else if (tag == DW_TAG_lexical_block || (*name && !strcmp(name, k->func))) {
			find_inlined(k, &c, by_line);
		}
	} while (!dwarf_siblingof(&c, &c));
}

/* The code of a function, as its file has it; NULL: not there. */
static const unsigned char *code(const struct kind *k, uint64_t addr, uint64_t size)
{
	GElf_Addr at = addr, bias;
	Elf_Scn *scn = addr ? dwfl_module_address_section(k->module, &at, &bias) : NULL;
	Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;

	return d && at <= d->d_size && size <= d->d_size - at ? (unsigned char *)d->d_buf + at :
								NULL;
}

/* Is it the kind's own code, and not of something inlined there that is a coroutine itself? */
static bool own_code(const struct kind *k, Dwarf_Die *unit, Dwarf_Addr pc)
{
	Dwarf_Die *scope = NULL;
	int count = dwarf_getscopes(unit, pc, &scope), i = 0;
	bool own;

	while (i < count && dwarf_tag(&scope[i]) != DW_TAG_inlined_subroutine &&
		dwarf_tag(&scope[i]) != DW_TAG_subprogram)
		i++;
	own = i >= count || !strcmp(die_name(&scope[i]), k->func);
	free(scope);
	return own;
}

/* The line of the instruction there; false: none, or the function's own. */
static bool line_at(
	const struct kind *k, uint64_t addr, bool own, const char **file, int *line, int *column)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = module_unit(k->module, addr, &bias);
	Dwarf_Line *l = unit ? dwarf_getsrc_die(unit, addr - bias) : NULL;

	*file = l ? dwarf_linesrc(l, NULL, NULL) : NULL;
	return *file && !dwarf_lineno(l, line) && !dwarf_linecol(l, column) && *line &&
		(!own || own_code(k, unit, addr - bias));
}

/* ---- gcc ---- */

static void find_calls(struct kind *k, const char *of, bool by_line)
{
	const unsigned char *text = code(k, k->resume, k->text_size);

	for (size_t i = 0; text && i + 5 <= k->text_size; i++) {
		int line, column;
		int32_t relative;
		const char *name, *file;

		if (text[i] != 0xe8)	/* call rel32 */
			continue;
		memcpy(&relative, text + i + 1, sizeof(relative));
		name = dwfl_module_addrname(
			k->module, k->resume + i + 5 + (uint64_t)(int64_t)relative);
		if (name && strstr(name, of) &&
			line_at(k, k->resume + i, false, &file, &line, &column))
			add(k, (struct await){ .line = (uint64_t)line, .column = (uint64_t)column },
				file, by_line);
	}
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

static void find_gcc(struct kind *k)
{
	if (!k->layout || !k->awaiters || !k->func)
		return;
	find_inlined(k, &k->function, false);
	if (number(k))
		return;
	forget(k);
	find_calls(k, "await_ready", false);
	if (number(k))
		return;
	forget(k);			/* some are inlined, some are not; their columns differ */
	find_inlined(k, &k->function, true);
	find_calls(k, "await_", true);
	if (!number(k))
		forget(k);
}

/* ---- clang ---- */

struct store { uint64_t offset; unsigned value; };

/* movb $imm8, disp(reg) */
static bool store_at(const unsigned char *p, size_t left, struct store *s)
{
	unsigned mod, sib;
	int32_t wide;

	if (left < 5 || p[0] != 0xc6 || p[1] & 0x38)
		return false;
	mod = p[1] >> 6;
	sib = (p[1] & 7) == 4;
	if (sib && p[2] != 0x24)	/* r12 is written so; so is rsp, which no frame is at */
		return false;
	if (mod == 1) {
		*s = (struct store){ p[2 + sib], p[3 + sib] };
		return p[2 + sib] < 128;
	}
	memcpy(&wide, p + 2 + sib, sizeof(wide));
	if (mod != 2 || left < 7 + sib || wide < 0)
		return false;
	*s = (struct store){ (uint64_t)wide, p[6 + sib] };
	return true;
}

/* Does a byte at a positive offset of rdi get read there? movzbl, mov, cmpb, testb. */
static bool reads_byte(const unsigned char *p, uint64_t *offset)
{
	int32_t wide;

	if (p[0] == 0x0f && p[1] == 0xb6)
		p += 2;
	else if (p[0] == 0x8a || (p[0] == 0x80 && (p[1] & 0x38) == 0x38) ||
		(p[0] == 0xf6 && !(p[1] & 0x38)))
		p++;
	else
		return false;
	if ((*p & 0xc7) == 0x47) {
		*offset = p[1];
		return p[1] < 128;
	}
	memcpy(&wide, p + 1, sizeof(wide));
	*offset = (uint64_t)wide;
	return (*p & 0xc7) == 0x87 && wide > 0;
}

/* movq $0, (reg); movb $n, disp(reg): it is at its end. */
static bool ends_there(const unsigned char *p, size_t left, struct store *s)
{
	static const unsigned char zero[4];
	size_t sib = left > 8 && (p[2] & 7) == 4;

	return left > 13 && p[0] >> 1 == 0x48 >> 1 && p[1] == 0xc7 && !(p[2] & 0xf8) &&
		!memcmp(p + 3 + sib, zero, 4) && store_at(p + 7 + sib, left - 7 - sib, s);
}

/* Where no type of the frame is left: what a resume function does first is to look at the number,
 * in its argument; and the last number is written when the resume pointer is cleared. */
static bool find_index(struct kind *k)
{
	enum { FIRST = 40, LONGEST = 8 };
	const unsigned char *text = code(k, k->resume, k->text_size);
	struct store s;

	k->index_bits = 8;
	for (size_t i = 0; text && i < FIRST && i + LONGEST <= k->text_size; i++)
		if (reads_byte(text + i, &k->index_at))
			return true;
	for (size_t i = 0; text && i < k->text_size; i++)
		if (ends_there(text + i, k->text_size - i, &s)) {
			k->index_at = s.offset;
			return true;
		}
	k->index_bits = 0;
	return false;
}

static void find_stores(struct kind *k, uint64_t addr, uint64_t size)
{
	const unsigned char *text = code(k, addr, size);
	struct store s;

	for (size_t i = 0; text && i < size; i++) {
		int line, column;
		const char *file;

		if (!store_at(text + i, size - i, &s) || s.offset != k->index_at ||
		    !line_at(k, addr + i, true, &file, &line, &column))
			continue;
		if ((uint64_t)line != k->line)
			add(k,
				(struct await){ .index = s.value,
					.line = (uint64_t)line,
					.column = (uint64_t)column },
				file, false);
		else if (!s.value)
			k->starts_suspended = true;
	}
}

/* One number at two lines is known at neither. */
static void drop_ambiguous(struct kind *k)
{
	for (size_t i = 0; i < k->awaits; i++)
		for (size_t n = 0; n < i; n++)
			if (k->await[i].index == k->await[n].index &&
				k->await[i].line != k->await[n].line)
				k->await[i].line = k->await[n].line = 0;
}

void awaits_find(struct kind *k)
{
	if (k->gcc) {
		k->starts_suspended = true;
		find_gcc(k);
		return;
	}
	if (!k->func || (!k->index_bits && !find_index(k)))
		return;
	find_stores(k, k->ramp, k->ramp_size);
	find_stores(k, k->resume, k->text_size);
	drop_ambiguous(k);
	k->layout |= k->awaits;
}

const struct await *await_at(const struct kind *k, uint64_t index)
{
	for (size_t i = 0; i < k->awaits; i++)
		if (k->await[i].index == index && k->await[i].line)
			return &k->await[i];
	return NULL;
}

/* struct readable { int fd; ... }; */
static bool says(const struct target *t, uint64_t at, Dwarf_Die *type, struct wait_on *on)
{
	Dwarf_Die of;
	uint64_t offset = 0;
	int32_t fd;

	if (!die_member(type, "fd", &offset, &of) && !die_member(type, "fd_", &offset, &of) &&
		!die_member(type, "m_fd", &offset, &of))
		return false;
	if (dwarf_tag(&of) != DW_TAG_base_type || die_size(&of) != sizeof(fd) ||
		!mem_read(t, at + offset, &fd, sizeof(fd)) || fd < 0)
		return false;
	*on = (struct wait_on){ CTT_ON_FD, true, false, (uint64_t)fd };
	return true;
}

bool awaiter_wait(const struct target *t, const struct kind *k, uint64_t frame, uint64_t index,
	struct wait_on *on)
{
	if (!k->gcc || index < 4)
		return false;
	for (size_t i = 0; i < k->awaiters; i++) {
		Dwarf_Die type = k->awaiter[i].type;

		if (k->awaiter[i].order == index / 2 - 2)
			return says(t, frame + k->awaiter[i].at, &type, on);
	}
	return false;
}
