/* fibers.h - fibers whose saved registers are known, whatever library saved them. */
#ifndef FIBERS_H
#define FIBERS_H

#include "cpp.h"

struct fiber {
	uint64_t addr, mark;		/* as in struct task */
	uint64_t stack, size;		/* where its own is */
	uint32_t tid;			/* that runs it; 0: none */
	bool fresh;			/* at its first instruction, and not behind a call */
	const char *within;		/* in the names of its files; NULL: not known */
	uint64_t ends;			/* where its first function would return to; 0: nowhere */
	uint64_t awaits;		/* the address of one that it resumed; 0: none */
	/* so many bytes of its stack, from its stack pointer on, are kept at `copy`; 0: all is in its place */
	uint64_t copy, copied;
};

struct fibers *fibers_new(struct snapshot *);
const struct target *fibers_target(const struct fibers *);
/* The thread that it is to be unwound as: set its registers and sp, before the next. */
struct thread *fibers_add(struct fibers *, const struct fiber *);
/* Give them to the snapshot: how many there were. */
size_t fibers_end(struct fibers *);

/* fiber-switch.c: where a function that switches stacks keeps the registers of who leaves, in what its first
 * argument points to. The first six in the order of struct user_regs_struct. */
enum { SAVED_CALLEE = 6, SAVED_SP = SAVED_CALLEE, SAVED_PC, SAVED };
struct switch_code {
	uint64_t at[SAVED];
	unsigned known;			/* a bit each */
	bool behind;			/* the stack pointer is beyond the return address */
	uint64_t goes_on;		/* in itself, at a `ret`; 0: at its caller */
};
/* The address of a symbol, and whose it is; 0: nobody has it. */
uint64_t fiber_symbol(const struct target *, const char *name, Dwfl_Module **of);
/* False: there is none, or its code is of another kind. */
bool fiber_switch(const struct target *, const char *name, struct switch_code *);
/* The structures of these names, with their members. False: not all of them are there. */
bool fiber_types(const struct target *, const char *const *name, Dwarf_Die *type, unsigned count);
/* What that function kept at that address, as if its caller had got it back. */
void fiber_registers(
	const struct target *, const struct switch_code *, uint64_t at, struct thread *);
/* The thread that runs on that stack, or NULL. */
const struct thread *fiber_runner(const struct target *, uint64_t stack, uint64_t size);
#endif
