/* search.h - where in an array that is in order of the number with which its items begin. */
#ifndef SNAP_SEARCH_H
#define SNAP_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The index of the first item whose number is `key` or more; count: there is none. */
static inline size_t first_from(const void *items, size_t count, size_t size, uint64_t key)
{
	size_t lo = 0, hi = count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t number;

		memcpy(&number, (const char *)items + mid * size, sizeof(number));
		if (number < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The last one whose number is `key` or less; NULL: there is none. */
static inline const void *last_up_to(const void *items, size_t count, size_t size, uint64_t key)
{
	size_t i = key == UINT64_MAX ? count : first_from(items, count, size, key + 1);

	return i ? (const char *)items + (i - 1) * size : NULL;
}

/* qsort's order of such items */
static inline int by_number(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}
#endif
