/* memory.h - the memory of the cgroup, and of those above it. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

uint64_t memory_left(void);		/* bytes, UINT64_MAX: there is no limit */
bool memory_short(void);		/* is it nearly used up? After memory_left() */

#endif
