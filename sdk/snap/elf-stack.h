/* elf-stack.h - the stack that elfutils needs: it lays the lines of a unit there, up to 200 KB of
 * them. */
#ifndef SNAP_ELF_STACK_H
#define SNAP_ELF_STACK_H

#include <stdbool.h>
#include <sys/resource.h>

enum { ELF_STACK_KB = 256 };

/* As large as is usual, if that is permitted; the kernel looks at the limit whenever a stack grows.
 * Who executes programs does so before. False: it is less than ELF_STACK_KB, and cannot be more. */
static inline bool elf_stack(void)
{
	enum { USUAL = 8 << 20 };
	struct rlimit stack;

	if (getrlimit(RLIMIT_STACK, &stack) || stack.rlim_cur >= USUAL)
		return true;
	stack.rlim_cur = USUAL;
	if (stack.rlim_max < USUAL && !setrlimit(RLIMIT_STACK, &(struct rlimit){ USUAL, USUAL }))
		return true;
	if (stack.rlim_max < USUAL)
		stack.rlim_cur = stack.rlim_max;
	setrlimit(RLIMIT_STACK, &stack);
	return stack.rlim_cur >= ELF_STACK_KB << 10;
}

#endif
