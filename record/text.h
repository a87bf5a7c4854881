/* text.h - numbers as text, four digits at a time: where ct-record spends its time. Each writes at
 * p and returns the end; all may write up to eight bytes more than they keep. */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>
#include <string.h>

#define put_const(p, s) ((char *)memcpy(p, s, sizeof(s) - 1) + sizeof(s) - 1)

extern char digits_4[10000][4];			/* "0000" to "9999"; print_open fills it */

static inline char *put_4(char *p, uint32_t v)		/* v < 10^4 with leading zeros */
{
	memcpy(p, digits_4[v], 4);
	return p + 4;
}

static inline char *put_8(char *p, uint32_t v)		/* v < 10^8 with leading zeros */
{
	return put_4(put_4(p, v / 10000), v % 10000);
}

static inline char *put_short(char *p, uint32_t v)	/* v < 10^8 without */
{
	uint32_t digits, first = v < 10000 ? v : v / 10000;
	unsigned zeros = (first < 1000) + (first < 100) + (first < 10);

	memcpy(&digits, digits_4[first], 4);
	digits >>= 8 * zeros;
	memcpy(p, &digits, 4);
	p += 4 - zeros;
	return v < 10000 ? p : put_4(p, v % 10000);
}

static __attribute__((noinline)) char *put_long(char *p, uint64_t v)
{
	uint64_t high = v / 100000000u;

	if (high < 100000000u)
		p = put_short(p, (uint32_t)high);
	else
		p = put_8(
			put_short(p, (uint32_t)(high / 100000000u)), (uint32_t)(high % 100000000u));
	return put_8(p, (uint32_t)(v % 100000000u));
}

static inline char *put_number(char *p, uint64_t v)
{
	return v < 100000000u ? put_short(p, (uint32_t)v) : put_long(p, v);
}

static inline uint64_t eight_nibbles(uint32_t v)	/* as hexadecimal ASCII */
{
	uint64_t x = v, letters;

	x = (x << 16 | x) & 0x0000ffff0000ffffull;
	x = (x << 8 | x) & 0x00ff00ff00ff00ffull;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0full;
	letters = (x + 0x0606060606060606ull) >> 4 & 0x0101010101010101ull;
	return __builtin_bswap64(x + 0x3030303030303030ull + letters * ('a' - '0' - 10));
}

static inline char *put_hex(char *p, uint64_t v)	/* sixteen digits */
{
	uint64_t high = eight_nibbles((uint32_t)(v >> 32)), low = eight_nibbles((uint32_t)v);

	memcpy(p, &high, 8);
	memcpy(p + 8, &low, 8);
	return p + 16;
}

#endif
