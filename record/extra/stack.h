/* stack.h - the lines of call stacks. */
#ifndef STACK_H
#define STACK_H

#include <stdint.h>
#include "../region.h"

void stack_init(const struct region *);
/* The number of the event's call stack, printed by now; 0: it has none, or none was asked for. pid:
 * as print_event. */
uint32_t stack_print(const struct region *, const struct ctp_event *, uint32_t pid);

#endif
