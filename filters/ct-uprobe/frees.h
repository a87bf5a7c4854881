/* frees.h - jumps by which a coroutine gives its own frame back as the last thing that it does. */
#ifndef UPROBE_FREES_H
#define UPROBE_FREES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* Is the code at that address, of `left` bytes, a jump to an operator delete or free()? */
bool jump_frees(Dwfl_Module *, uint64_t addr, const unsigned char *text, size_t left);
#endif
