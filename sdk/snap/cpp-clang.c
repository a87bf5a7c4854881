/* cpp-clang.c - where the co_awaits of a coroutine stand in its source, of clang's. Contracts in
 * cpp.h.
 *
 * clang writes the number of a co_await into the frame just before it suspends, by one instruction,
 * whose line is the co_await's.
 */
#include <string.h>

#include "cpp.h"

struct store { uint64_t offset; unsigned value, reg, len; };	/* reg: as DWARF counts them */

/* movb $imm8, disp(reg); `high`: of r8 to r15, by the prefix before it */
static bool store_at(const unsigned char *p, size_t left, bool high, struct store *s)
{
	static const unsigned char numbers[] = { 0, 2, 1, 3, 7, 6, 4, 5 };
	unsigned mod, sib, reg;
	int32_t wide;

	if (left < 5 || p[0] != 0xc6 || p[1] & 0x38)
		return false;
	mod = p[1] >> 6;
	sib = (p[1] & 7) == 4;
	reg = high ? 8 + (p[1] & 7) : numbers[p[1] & 7];
	if (sib && p[2] != 0x24)	/* r12 is written so; so is rsp, which no frame is at */
		return false;
	if (mod == 1) {
		*s = (struct store){ p[2 + sib], p[3 + sib], reg, 4 + sib };
		return p[2 + sib] < 128;
	}
	memcpy(&wide, p + 2 + sib, sizeof(wide));
	if (mod != 2 || left < 7 + sib || wide < 0)
		return false;
	*s = (struct store){ (uint64_t)wide, p[6 + sib], reg, 7 + sib };
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
	size_t sib = left > 8 && (p[2] & 7) == 4, next = 7 + sib;

	next += left > next && p[next] == 0x41;		/* of r8 to r15 */
	return left > 14 && p[0] >> 1 == 0x48 >> 1 && p[1] == 0xc7 && !(p[2] & 0xf8) &&
		!memcmp(p + 3 + sib, zero, 4) && store_at(p + next, left - next, false, s);
}

/* Is it the kind's own code, and not of something inlined there that is a coroutine itself? */
static bool own_code(const struct kind *k, uint64_t start, uint64_t addr)
{
	Dwarf_Die function, in;
	Dwarf_Addr bias;

	if (!kind_function(k, start, &function, &bias))
		return true;
	function_within(&function, addr - bias, &in);
	return !strcmp(die_name(&in), k->func);
}

/* Are all bytes that its own code writes numbers into one and the same? `any`: one was. */
static bool writes_one(struct kind *k, uint64_t addr, uint64_t size, bool *any)
{
	enum { POINTERS = 16 };		/* what a frame begins with */
	const unsigned char *text = kind_code(k, addr, size);
	struct store s;

	for (size_t i = 0; text && i < size; i++) {
		int line, column;
		const char *file;

		if (!store_at(text + i, size - i, i && text[i - 1] == 0x41, &s) ||
			!code_line(k, addr + i, &file, &line, &column) ||
			!own_code(k, addr, addr + i))
			continue;
		if (s.offset < POINTERS || (*any && s.offset != k->index_at))
			return false;
		k->index_at = s.offset;
		*any = true;
	}
	return true;
}

/* Where no type of the frame is left: what a resume function does first is to look at the number,
 * in its argument; and the last number is written when the resume pointer is cleared. One with a
 * single co_await, which never ends, does neither, but writes it. */
static bool find_index(struct kind *k)
{
	enum { FIRST = 40, LONGEST = 8 };
	const unsigned char *text = kind_code(k, k->resume, k->text_size);
	bool written = false;
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
	if (writes_one(k, k->ramp, k->ramp_size, &written) &&
		writes_one(k, k->resume, k->text_size, &written) && written)
		return true;
	k->index_bits = 0;
	return false;
}

static void find_stores(struct kind *k, uint64_t addr, uint64_t size)
{
	const unsigned char *text = kind_code(k, addr, size);
	struct store s;

	for (size_t i = 0; text && i < size; i++) {
		int line, column;
		const char *file;

		if (!store_at(text + i, size - i, i && text[i - 1] == 0x41, &s) ||
		    s.offset != k->index_at || !code_line(k, addr + i, &file, &line, &column) ||
		    !own_code(k, addr, addr + i))
			continue;
		if ((uint64_t)line == k->line && !s.value) {
			k->starts_suspended = true;
			continue;
		}
		await_add(k,
			(struct await){ .index = s.value,
				.line = (uint64_t)line,
				.column = (uint64_t)column },
			file, false);
		awaiter_clang(k,
			(struct suspended_by){ addr, addr + i + s.len, s.value, s.reg, line });
	}
}

void awaits_clang(struct kind *k)
{
	if (!k->func || (!k->index_bits && !find_index(k)))
		return;
	find_stores(k, k->ramp, k->ramp_size);
	find_stores(k, k->resume, k->text_size);
	awaits_doubtful(k);
	awaiters_clang(k);
	k->layout |= k->awaits;
}
