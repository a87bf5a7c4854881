/* sum.h - sums of what lines say, which end at the largest number: what is lost never adds up to nothing. */
#ifndef SUM_H
#define SUM_H

#include <stdint.h>

static inline uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}
#endif
