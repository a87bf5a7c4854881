/* memory.h - the cgroup's memory. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

uint64_t memory_limit(void);		/* bytes, UINT64_MAX: none */
bool memory_short(void);		/* is it nearly used up? After memory_limit() */

#endif
