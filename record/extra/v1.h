/* v1.h - the stations of version 1. */
#ifndef V1_H
#define V1_H

#include <stdint.h>
#include "../region.h"

void v1_init(const struct region *);
uint64_t v1_scan(const struct region *);
void v1_end(const struct region *);	/* the rest */

#endif
