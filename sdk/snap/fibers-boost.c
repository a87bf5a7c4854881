/* fibers-boost.c - Boost.Fiber: its suspended fibers, each by the boost::fibers::context that keeps where.
 *
 * A context has a boost::context::fiber, and that one pointer: to the registers that ontop_fcontext saved
 * on the fiber's stack as it left it, NULL while the fiber runs. Where the members are is what the
 * program's debug information says; where each register is, is read off ontop_fcontext's own code. The
 * context itself lies on top of its fiber's stack.
 *
 * x86-64.
 */
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "fibers.h"

enum { CODE = 96, LARGEST = 64 << 20 };
static struct {
	bool known;
	uint64_t pointer, type, scheduler, terminated;	/* members of a context */
	uint64_t worker;				/* the type of fibers that are started */
	uint64_t frame, r12, r13, r14, r15, bx, bp;	/* behind what it points to */
} is;

/* mov of a register to so many bytes above the stack pointer, at p. */
static bool saves(const unsigned char *p, unsigned char rex, unsigned char modrm, uint64_t *at)
{
	bool does = p[0] == rex && p[1] == 0x89 && p[2] == modrm && p[3] == 0x24 && p[4] < 0x80;

	if (does)
		*at = p[4];
	return does;
}

static bool saves_any(const unsigned char *p)
{
	return saves(p, 0x4c, 0x64, &is.r12) || saves(p, 0x4c, 0x6c, &is.r13) ||
		saves(p, 0x4c, 0x74, &is.r14) || saves(p, 0x4c, 0x7c, &is.r15) ||
		saves(p, 0x48, 0x5c, &is.bx) || saves(p, 0x48, 0x6c, &is.bp);
}

/* A frame is made, all registers that a call keeps are saved in it, and only then the stack is another. */
static bool read_code(const unsigned char *p)
{
	unsigned saved = 0;

	is.frame = 0;
	for (int i = 0; i < CODE - 5; i++) {
		if (!is.frame && !memcmp(p + i, "\x48\x8d\x64\x24", 4) && p[i + 4] >= 0x80) {
			is.frame = 256u - p[i + 4];	/* lea -N(%rsp),%rsp */
			i += 4;
		} else if (!memcmp(p + i, "\x48\x89\xfc", 3)) {
			break;				/* mov %rdi,%rsp */
		} else if (is.frame && saves_any(p + i)) {
			saved++;
			i += 4;
		}
	}
	return is.frame && saved == 6;
}

static bool find_switch(Dwfl_Module *m)
{
	int count = dwfl_module_getsymtab(m);
	GElf_Sym symbol;
	GElf_Addr addr;

	for (int i = 1; i < count; i++) {
		const char *name = dwfl_module_getsym_info(m, i, &symbol, &addr, NULL, NULL, NULL);
		const unsigned char *code = name && symbol.st_shndx != SHN_UNDEF &&
				!strncmp(name, "ontop_fcontext", 14) ? module_code(m, addr, CODE) : NULL;

		if (code)
			return read_code(code);
	}
	return false;
}

static bool is_worker(void *arg, Dwarf_Die *d)
{
	(void)arg;
	if (!strcmp(die_name(d), "worker_context"))
		is.worker = die_number(d, DW_AT_const_value, 0);
	return true;
}

static bool context(void *arg, Dwarf_Die *d)
{
	Dwarf_Die type;
	char path[64];

	(void)arg;
	if (is.known || strcmp(die_name(d), "context") || !die_size(d) ||
		strcmp(die_path(d, false, path, sizeof(path)), "boost::fibers"))
		return !is.known;
	is.pointer = is.type = is.scheduler = is.terminated = 0;
	if (!die_members(d, "c_.fctx_", &is.pointer, NULL) ||
		!die_member(d, "type_", &is.type, &type) ||
		!die_member(d, "scheduler_", &is.scheduler, NULL) ||
		!die_member(d, "terminated_", &is.terminated, NULL))
		return true;
	die_children(&type, is_worker, NULL);
	is.known = is.worker;
	return !is.known;
}

/* Its debug information says nothing of contexts, though it has them. */
static void complain(const struct target *t)
{
	for (size_t i = 0; i < t->modules; i++)
		if (strstr(t->module[i].path, "libboost_fiber")) {
			note("Boost.Fiber: no debug information of boost::fibers::context (g++ -femit-class-debug-always, clang++ -fstandalone-debug)\n");
			return;
		}
}

static bool find(struct target *t, struct take *want)
{
	bool switches = false;

	is.known = false;
	for (size_t i = 0; i < t->modules && !switches; i++)
		switches = t->module[i].dwfl && find_switch(t->module[i].dwfl);
	for (size_t i = 0; switches && !is.known && i < t->modules; i++) {
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;

		while (t->module[i].dwfl && !is.known &&
			(unit = dwfl_module_nextcu(t->module[i].dwfl, unit, &bias)))
			die_walk(unit, context, NULL);
	}
	die_forget();
	if (!is.known)
		complain(t);
	want->heap |= is.known;
	return is.known;
}

/* A context that is suspended, on top of the stack that it keeps where it is. */
static bool is_fiber(const struct target *t, uint64_t at, uint64_t saved)
{
	uint64_t ip = mem_number(t, saved + is.frame, 8), scheduler;

	return at > saved && at - saved < LARGEST &&
		mem_number(t, at + is.type, 4) == is.worker &&
		!mem_number(t, at + is.terminated, 1) &&
		(scheduler = mem_number(t, at + is.scheduler, 8)) && mem_at(t, scheduler, 8) &&
		dwfl_addrmodule(t->dwfl, ip);
}

static void add_fiber(struct fibers *all, uint64_t at, uint64_t saved)
{
	const struct target *t = fibers_target(all);
	const unsigned char *bytes = mem_at(t, saved, is.frame + 8);
	struct fiber f = { .addr = at, .stack = saved, .size = at - saved, .within = "/boost/",
		.mark = mark_of(0, bytes, bytes ? is.frame + 8 : 0) };
	struct thread *th = fibers_add(all, &f);

	th->reg[0] = mem_number(t, saved + is.r15, 8);
	th->reg[1] = mem_number(t, saved + is.r14, 8);
	th->reg[2] = mem_number(t, saved + is.r13, 8);
	th->reg[3] = mem_number(t, saved + is.r12, 8);
	th->reg[4] = mem_number(t, saved + is.bp, 8);
	th->reg[5] = mem_number(t, saved + is.bx, 8);
	th->reg[16] = mem_number(t, saved + is.frame, 8);
	th->reg[19] = th->sp = saved + is.frame + 8;
}

static void read_fibers(struct snapshot *s)
{
	const struct target *t = s->target;
	struct fibers *all = fibers_new(s);

	for (size_t i = 0; i < t->runs; i++) {
		const struct run *r = &t->run[i];
		uint64_t word;

		for (uint64_t at = r->start; r->writable && at + 8 <= r->end; at += 8) {
			memcpy(&word, r->copy + (at - r->start), 8);
			if (word < at && at - word < LARGEST && is_fiber(t, at - is.pointer, word))
				add_fiber(all, at - is.pointer, word);
		}
	}
	note("%zu fibers of Boost.Fiber\n", fibers_end(all));
}

static void forget(void)
{
	is.known = false;
}

const struct runtime boost_runtime = { "suspended fibers of Boost.Fiber", find, read_fibers, forget, NULL };
