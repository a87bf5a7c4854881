/* code.c - machine code, by capstone. Contracts in code.h.
 *
 * At a probe the kernel executes the instruction that it replaced. Some it emulates; the others run
 * out of line and end in another trap, which in a virtual machine takes ten microseconds.
 */
#include <capstone/capstone.h>
#include <string.h>

#include "base/mem.h"
#include "code.h"

static bool decoder(csh *handle)
{
	static csh opened;

	if (!opened) {
		if (cs_open(CS_ARCH_X86, CS_MODE_64, &opened) != CS_ERR_OK)
			return false;
		cs_option(opened, CS_OPT_DETAIL, CS_OPT_ON);
	}
	*handle = opened;
	return true;
}

/* arch/x86/kernel/uprobes.c, branch_setup_xol_ops and push_setup_xol_ops: jumps and calls to a
 * distance, one byte of nothing, push. */
static bool emulated(const cs_insn *i)
{
	const uint8_t *b = i->bytes;

	if (i->size == 2 && b[0] == 0x41)
		return (b[1] & 0xf8) == 0x50;
	if (b[0] == 0x0f)
		return (b[1] & 0xf0) == 0x80;
	return (b[0] & 0xf8) == 0x50 || (b[0] & 0xf0) == 0x70 || b[0] == 0xe8 || b[0] == 0xe9 ||
		b[0] == 0xeb || b[0] == 0x90;
}

/* Of the first two arguments or the stack pointer. */
static bool kept(uint16_t reg)
{
	static const uint16_t regs[] = { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL,
		X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_RSP, X86_REG_ESP,
		X86_REG_SP, X86_REG_SPL };

	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		if (reg == regs[i])
			return true;
	return false;
}

/* Does it go on behind it, with the arguments, the stack pointer and all memory unchanged? */
static bool harmless(csh handle, const cs_insn *i)
{
	cs_regs read, written;
	uint8_t reads, writes;

	if (cs_insn_group(handle, i, CS_GRP_JUMP) || cs_insn_group(handle, i, CS_GRP_CALL) ||
		cs_insn_group(handle, i, CS_GRP_RET) || cs_insn_group(handle, i, CS_GRP_INT) ||
		cs_regs_access(handle, i, read, &reads, written, &writes) != CS_ERR_OK)
		return false;
	for (uint8_t n = 0; n < writes; n++)
		if (kept(written[n]))
			return false;
	for (uint8_t n = 0; n < i->detail->x86.op_count; n++)
		if (i->detail->x86.operands[n].type == X86_OP_MEM &&
			i->detail->x86.operands[n].access & CS_AC_WRITE)
			return false;
	return true;
}

static bool jump_target(const cs_insn *i, uint64_t *to)
{
	const cs_x86 *x = &i->detail->x86;

	if (x->op_count != 1 || x->operands[0].type != X86_OP_IMM)
		return false;
	*to = (uint64_t)x->operands[0].imm;
	return true;
}

/* Does a jump lead to behind its beginning, up to there? Then others pass there as well. */
static bool jumped_to(csh handle, const struct code *c, uint64_t shift)
{
	const uint8_t *p = c->text;
	size_t left = c->size;
	uint64_t addr = c->addr;
	cs_insn *i = need(cs_malloc(handle));
	bool found = false;

	while (!found && cs_disasm_iter(handle, &p, &left, &addr, i)) {
		uint64_t to;

		found = cs_insn_group(handle, i, CS_GRP_JUMP) && jump_target(i, &to) &&
			to > c->addr && to <= c->addr + shift;
	}
	found |= left;			/* what cannot be decoded may jump anywhere */
	cs_free(i, 1);
	return found;
}

uint64_t code_entry(const struct code *c, bool *cheap)
{
	enum { FAR = 64 };		/* bytes */
	const uint8_t *p = c->text;
	size_t left = c->size;
	uint64_t addr = c->addr, shift = 0;
	cs_insn *i;
	csh handle;

	*cheap = false;
	if (!c->text || !decoder(&handle))
		return 0;
	i = need(cs_malloc(handle));
	while (cs_disasm_iter(handle, &p, &left, &addr, i)) {
		shift = i->address - c->addr;
		*cheap = emulated(i);
		if (*cheap || shift > FAR || !harmless(handle, i))
			break;
	}
	cs_free(i, 1);
	*cheap = *cheap && (!shift || !jumped_to(handle, c, shift));
	return *cheap ? shift : 0;
}

static bool within(const struct code *c, uint64_t addr)
{
	return addr >= c->addr && addr < c->addr + c->size;
}

static bool leads_out(csh handle, const cs_insn *i, const struct code *c, const struct code *other)
{
	uint64_t to;

	if (!cs_insn_group(handle, i, CS_GRP_JUMP))
		return cs_insn_group(handle, i, CS_GRP_RET);
	return jump_target(i, &to) && !within(c, to) && !within(other, to);
}

bool code_exits(const struct code *c, const struct code *other, uint64_t *exit, size_t room,
	size_t *count)
{
	const uint8_t *p = c->text;
	size_t left = c->size;
	uint64_t addr = c->addr;
	cs_insn *i;
	csh handle;
	bool fits = true;

	*count = 0;
	if (!c->text || !decoder(&handle))
		return false;
	i = need(cs_malloc(handle));
	while (fits && cs_disasm_iter(handle, &p, &left, &addr, i)) {
		if (!leads_out(handle, i, c, other))
			continue;
		fits = *count < room;
		if (fits)
			exit[(*count)++] = i->address;
	}
	cs_free(i, 1);
	return fits && !left;
}
