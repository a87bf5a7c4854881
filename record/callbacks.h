/* callbacks.h - what threads are inside of that is no coroutine (ctp(7), "Ring"): one that takes long is
 * printed as a coroutine that runs there. */
#ifndef CALLBACKS_H
#define CALLBACKS_H

#include <stdint.h>
#include "region.h"

void callbacks_init(const struct region *);
/* Ring i's, before what this cut has of it is printed. */
void callbacks_look(const struct region *, uint32_t i);
/* Those of the first `rings` that last too long, up to the end of the cut, in ticks. */
void callbacks_print(const struct region *, uint32_t rings, uint64_t cut);

#endif
