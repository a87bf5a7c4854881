/* fibers.c - stacks that swapcontext(3) switches: each is where its ucontext_t says.
 *
 * swapcontext writes into it where the floating point registers are kept, which is in that
 * structure itself: a word that has its own address plus a constant. No copy of a structure has
 * that. A fiber has a stack of its own there, by makecontext(3), and its stack pointer is in it; a
 * thread's own context, to which it will return, has none.
 *
 * x86-64 and glibc.
 */
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "fibers.h"

/* In ucontext_t: the pointer, what it points to, the stack, the registers by their order there. */
enum { FP = 224, FP_AREA = 424, STACK = 16, STACK_SIZE = 32, REGS = 40, WHOLE = 936 };
enum { R12 = 4, R13, R14, R15, BP = 10, BX, SP = 15, IP };
enum { SMALLEST = 1024 };

static uint64_t reg(const struct target *t, uint64_t context, unsigned which)
{
	return mem_number(t, context + REGS + 8 * which, 8);
}

/* At a function's first instruction it has not run yet. */
static bool is_new(const struct target *t, uint64_t pc)
{
	Dwfl_Module *m = dwfl_addrmodule(t->dwfl, pc);
	GElf_Off offset = 1;
	GElf_Sym symbol;

	return m && dwfl_module_addrinfo(m, pc, &offset, &symbol, NULL, NULL, NULL) && !offset;
}

/* Is one there that has a stack of its own? */
static bool is_fiber(const struct target *t, uint64_t at)
{
	uint64_t stack = mem_number(t, at + STACK, 8), size = mem_number(t, at + STACK_SIZE, 8);
	uint64_t whole = WHOLE;

	return size >= SMALLEST && reg(t, at, SP) - stack <= size &&
		dwfl_addrmodule(t->dwfl, reg(t, at, IP)) &&
		heap_chunk(at, &whole) != CHUNK_FREE;
}

static void add_fiber(struct fibers *all, uint64_t at)
{
	const struct target *t = fibers_target(all);
	const unsigned char *bytes = mem_at(t, at + REGS, 8 * (IP + 1));
	struct fiber f = { .addr = at, .stack = mem_number(t, at + STACK, 8),
		.size = mem_number(t, at + STACK_SIZE, 8),
		.mark = mark_of(0, bytes, bytes ? 8 * (IP + 1) : 0),
		.fresh = is_new(t, reg(t, at, IP)) };
	const struct thread *by = fiber_runner(t, f.stack, f.size);
	struct thread *th;

	f.tid = by ? by->tid : 0;	/* then what is saved is of its last switch */
	th = fibers_add(all, &f);
	/* in the order of struct user_regs_struct */
	th->reg[0] = reg(t, at, R15);
	th->reg[1] = reg(t, at, R14);
	th->reg[2] = reg(t, at, R13);
	th->reg[3] = reg(t, at, R12);
	th->reg[4] = reg(t, at, BP);
	th->reg[5] = reg(t, at, BX);
	th->reg[16] = reg(t, at, IP);
	th->reg[19] = th->sp = reg(t, at, SP);
}

static void read_fibers(struct snapshot *s)
{
	const struct target *t = s->target;
	struct fibers *all = fibers_new(s);

	heap_walk(s->target);
	for (size_t i = 0; i < t->runs; i++) {
		const struct run *r = &t->run[i];
		uint64_t word;

		for (uint64_t at = r->start; r->writable && at + 8 <= r->end; at += 8) {
			memcpy(&word, r->copy + (at - r->start), 8);
			if (word == at + FP_AREA - FP && is_fiber(t, at - FP))
				add_fiber(all, at - FP);
		}
	}
	note("%zu fibers of swapcontext\n", fibers_end(all));
	heap_forget();
}

/* Is it called from there? Not libcrypto's own jobs, of which a program that has it knows nothing.
 */
static bool switches(Dwfl_Module *m)
{
	const char *file = NULL;
	int count = dwfl_module_getsymtab(m);
	GElf_Sym symbol;

	dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, &file, NULL);
	if (file && strstr(file, "/libcrypto"))
		return false;
	for (int i = 1; i < count; i++) {
		const char *name = dwfl_module_getsym(m, i, &symbol, NULL);

		if (name && symbol.st_shndx == SHN_UNDEF && !strncmp(name, "swapcontext", 11))
			return true;
	}
	return false;
}

static bool find(struct target *t, struct take *want)
{
	bool found = false;

	for (size_t i = 0; i < t->modules && !found; i++)
		found = t->module[i].dwfl && switches(t->module[i].dwfl);
	want->heap |= found;
	return found;
}

static void forget(void)
{
}

const struct runtime fiber_runtime = { "fibers of swapcontext", find, read_fibers, forget, NULL };
