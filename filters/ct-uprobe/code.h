/* code.h - where in a function's machine code a probe goes. x86-64. */
#ifndef UPROBE_CODE_H
#define UPROBE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code { const unsigned char *text; size_t size; uint64_t addr; };

/* How far behind its beginning each call passes with its first two arguments and its stack pointer
 * unchanged, at an instruction that the kernel emulates. *cheap: there is such a one, else 0 is
 * right, and costs a single step. */
uint64_t code_entry(const struct code *, bool *cheap);

/* Where it returns, or jumps to what is neither in it nor in `other`, as addresses, at most `room`;
 * how many. False: not all of it can be decoded. */
bool code_exits(const struct code *, const struct code *other, uint64_t *exit, size_t room,
	size_t *count);
#endif
