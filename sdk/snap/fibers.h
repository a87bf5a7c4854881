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
};

struct fibers *fibers_new(struct snapshot *);
const struct target *fibers_target(const struct fibers *);
/* The thread that it is to be unwound as: set its registers and sp, before the next. */
struct thread *fibers_add(struct fibers *, const struct fiber *);
/* Give them to the snapshot: how many there were. */
size_t fibers_end(struct fibers *);
#endif
