/* fiber-switch.c - a library of fibers: the function that switches, by its code, and its structures, by the
 * program's debug information. Contracts in fibers.h.
 *
 * A function that switches stacks stores, before it does anything else, each register that a call keeps, the
 * stack pointer, and where it is to go on, into the structure that is its first argument. So it is enough to
 * read stores until something else comes; what is stored where, nobody has to know beforehand.
 *
 * x86-64.
 */
#include <string.h>

#include "die.h"
#include "fibers.h"

enum { AX, CX, DX, BX, SP, BP, SI, DI, R12 = 12, R13, R14, R15, REGS = 16 };
enum { CODE = 64, LONGEST = 8 };	/* bytes that are read of a function, of an instruction */
/* What a register has: its caller's value, the return address, the stack pointer behind that, an
 * address in the function. */
enum has { OWN, RETURN, BEHIND, WITHIN };

struct reading {
	const unsigned char *code;
	uint64_t addr;
	enum has has[REGS];
	uint64_t within;
	struct switch_code *to;
};

static int32_t number(const unsigned char *p, int size)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return size == 1 ? (int8_t)*p : v;
}

static bool store(struct reading *r, unsigned reg, uint64_t at)
{
	static const unsigned kept[SAVED_CALLEE] = { R15, R14, R13, R12, BP, BX };

	for (int i = 0; i < SAVED_CALLEE; i++)
		if (kept[i] == reg && r->has[reg] == OWN) {
			r->to->at[i] = at;
			r->to->known |= 1u << i;
			return true;
		}
	if (reg == SP || r->has[reg] == BEHIND) {
		r->to->at[SAVED_SP] = at;
		r->to->known |= 1u << SAVED_SP;
		r->to->behind = reg != SP;
		return true;
	}
	if (r->has[reg] == OWN)
		return false;
	r->to->at[SAVED_PC] = at;
	r->to->known |= 1u << SAVED_PC;
	r->to->goes_on = r->has[reg] == WITHIN ? r->within : 0;
	return true;
}

/* One instruction at p: how long it is; 0: none of those that a switch begins with. */
static size_t instruction(struct reading *r, size_t i)
{
	const unsigned char *p = r->code + i;
	unsigned mod = p[2] >> 6, reg = (p[2] >> 3 & 7) | (p[0] & 4) << 1, rm = p[2] & 7;

	if ((p[0] & 0xfb) != 0x48)
		return 0;
	if (p[1] == 0x89 && rm == DI && mod < 2)	/* mov reg,N(%rdi) */
		return store(r, reg, mod ? (uint64_t)number(p + 3, 1) : 0) ? 3 + mod : 0;
	if (p[1] == 0x8b && !mod && rm == SP && p[3] == 0x24) {	/* mov (%rsp),reg */
		r->has[reg] = RETURN;
		return 4;
	}
	if (p[1] == 0x8d && mod == 1 && rm == SP && p[3] == 0x24 && p[4] == 8) {
		r->has[reg] = BEHIND;			/* lea 8(%rsp),reg */
		return 5;
	}
	if (p[1] == 0x8d && !mod && rm == BP) {		/* lea N(%rip),reg */
		r->has[reg] = WITHIN;
		r->within = r->addr + i + 7 + (uint64_t)(int64_t)number(p + 3, 4);
		return 7;
	}
	return 0;
}

static bool read_code(Dwfl_Module *m, uint64_t addr, struct switch_code *to)
{
	struct reading r = { .code = module_code(m, addr, CODE), .addr = addr, .to = to };
	const unsigned char *on;
	size_t len;

	*to = (struct switch_code){ .known = 0 };
	if (!r.code)
		return false;
	for (size_t i = memcmp(r.code, "\xf3\x0f\x1e\xfa", 4) ? 0 : 4; i + LONGEST < CODE; i += len)
		if (!(len = instruction(&r, i)))
			break;
	if (to->known != (1u << SAVED) - 1 || to->behind != !to->goes_on)
		return false;
	on = to->goes_on ? module_code(m, to->goes_on, 1) : NULL;
	return !to->goes_on || (on && *on == 0xc3);	/* ret */
}

uint64_t fiber_symbol(const struct target *t, const char *name, Dwfl_Module **of)
{
	for (size_t i = 0; i < t->modules; i++) {
		Dwfl_Module *m = t->module[i].dwfl;
		int count = m ? dwfl_module_getsymtab(m) : 0;
		GElf_Sym symbol;
		GElf_Addr addr;

		for (int k = 1; k < count; k++) {
			const char *n = dwfl_module_getsym_info(
				m, k, &symbol, &addr, NULL, NULL, NULL);

			if (n && symbol.st_shndx != SHN_UNDEF && !strcmp(n, name)) {
				*of = m;
				return addr;
			}
		}
	}
	return 0;
}

bool fiber_switch(const struct target *t, const char *name, struct switch_code *to)
{
	Dwfl_Module *m;
	uint64_t addr = fiber_symbol(t, name, &m);

	return addr && read_code(m, addr, to);
}

struct wanted { const char *const *name; Dwarf_Die *type; unsigned count, found; };

static bool take(void *arg, Dwarf_Die *d)
{
	struct wanted *w = arg;
	const char *name = die_name(d);

	for (unsigned i = 0; i < w->count; i++)
		if (!(w->found & 1u << i) && !strcmp(name, w->name[i]) &&
			dwarf_tag(d) == DW_TAG_structure_type && die_size(d)) {
			w->type[i] = *d;
			w->found |= 1u << i;
		}
	return w->found != (1u << w->count) - 1;
}

bool fiber_types(const struct target *t, const char *const *name, Dwarf_Die *type, unsigned count)
{
	struct wanted w = { name, type, count, 0 };

	for (size_t i = 0; i < t->modules; i++) {
		Dwfl_Module *m = t->module[i].dwfl;
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;

		while (m && (unit = dwfl_module_nextcu(m, unit, &bias))) {
			die_walk(unit, take, &w);
			if (w.found == (1u << count) - 1)
				return true;
		}
	}
	return false;
}

void fiber_registers(
	const struct target *t, const struct switch_code *c, uint64_t at, struct thread *th)
{
	uint64_t sp = mem_number(t, at + c->at[SAVED_SP], 8);

	for (int i = 0; i < SAVED_CALLEE; i++)
		th->reg[i] = mem_number(t, at + c->at[i], 8);
	th->reg[16] = c->goes_on ? mem_number(t, sp, 8) : mem_number(t, at + c->at[SAVED_PC], 8);
	th->reg[19] = th->sp = sp + (c->goes_on ? 8 : 0);
}

const struct thread *fiber_runner(const struct target *t, uint64_t stack, uint64_t size)
{
	for (size_t i = 0; i < t->threads; i++)
		if (t->thread[i].sp - stack < size)
			return &t->thread[i];
	return NULL;
}
