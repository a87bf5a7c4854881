/* numbers.h - numbers to try what prints numbers with: around powers of ten and of two, the largest, and any of any length. */
#ifndef NUMBERS_H
#define NUMBERS_H
#include <stdint.h>

static void each_number(void (*try)(uint64_t), unsigned any_count)
{
	uint64_t power = 1, any = 88172645463325252ull;

	for (unsigned i = 0; i < 20; i++, power *= 10)
		for (uint64_t d = 0; d < 3; d++)
			try(power + d - 1);
	for (unsigned bit = 0; bit < 64; bit++)
		for (uint64_t d = 0; d < 3; d++)
			try((1ull << bit) + d - 1);
	try(UINT64_MAX);
	for (unsigned i = 0; i < any_count; i++) {
		any = any * 6364136223846793005ull + 1442695040888963407ull;
		try(any >> any % 61);
	}
}
#endif
