/* scan.h - numbers, times, addresses and words of a line, read eight characters at a time; for
 * line.c alone.
 *
 * All take where the thing begins and return where it ends, or NULL where it is not canonical. They
 * may read as far as LINE_PAD behind the input. What they expect of a number is what its place held
 * last (struct habits).
 */
#ifndef CTTRACE_SCAN_H
#define CTTRACE_SCAN_H

#include <string.h>

#include "read/internal.h"

#define ONES 0x0101010101010101ull

static inline uint64_t load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

/* The first n of up to eight characters, as load8 gives them; a constant. */
static inline uint64_t word(const char *literal, size_t n)
{
	uint64_t w = 0;

#pragma GCC unroll 8
	for (size_t i = 0; i < n; i++)
		w |= (uint64_t)(unsigned char)literal[i] << 8 * i;
	return w;
}

/* memcmp, for a constant n up to 24 and more than n to read: whole words, that may overlap. GCC
 * calls the library for odd sizes. */
static inline bool same(const char *p, const char *literal, size_t n)
{
	uint64_t differ;

	if (n < 8)
		return load8(p) << (64 - 8 * n) == word(literal, n) << (64 - 8 * n);
	differ = (load8(p) ^ word(literal, 8)) | (load8(p + n - 8) ^ word(literal + n - 8, 8));
	if (n > 16)
		differ |= load8(p + 8) ^ word(literal + 8, 8);
	return !differ;
}
#define starts(p, literal) same(p, literal, sizeof(literal) - 1)

/* The next eight characters, less '0' each. */
static inline uint64_t digits_at(const char *p)
{
	return load8(p) ^ 0x30 * ONES;
}

/* Bit 7 of each of these that is no digit, up to the first one; what is above, and the other bits,
 * mean nothing. */
static inline uint64_t others(uint64_t t)
{
	return (t + 0x76 * ONES) | t;
}

/* Eight of them, the first in the low byte, as one number. */
static inline uint64_t eight(uint64_t t)
{
	t = (t * (1 + (10 << 8)) >> 8) & 0x00ff00ff00ff00ffull;
	t = (t * (1 + (100 << 16)) >> 16) & 0x0000ffff0000ffffull;
	return t * (1 + (10000ull << 32)) >> 32;
}

/* The last four of them alone. */
static inline uint32_t four(uint32_t t)
{
	t = (t * (1 + (10 << 8)) >> 8) & 0x00ff00ff;
	return t * (1 + (100 << 16)) >> 16;
}

/* A number of 1 to 19 digits (so that it cannot overflow) without leading zeros. */
static const char *any_number(const char *p, uint64_t *v)
{
	static const uint64_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	const char *start = p;
	uint64_t n = 0, t, other;
	unsigned bits;

	for (; !(other = others(t = digits_at(p)) & 0x80 * ONES); p += 8)
		n = n * 100000000 + eight(t);
	bits = (unsigned)__builtin_ctzll(other) & 0x38;
	*v = n * power[bits / 8] + eight(t << 8 << (56 - bits));
	p += bits / 8;
	return p == start || p - start > 19 || (*start == '0' && p - start > 1) ? NULL : p;
}

/* One that is not as `last` says, which then learns it. */
static __attribute__((noinline)) const char *other_number(
	const char *p, uint64_t *v, struct digits *last)
{
	const char *end = any_number(p, v);
	unsigned count = end ? (unsigned)(end - p) : 0;

	if (count > 0 && count < 8 && *p != '0') {
		uint64_t bit = 0x80ull << 8 * count, rest = ~((bit | (bit - 1)) & 0x80 * ONES);

		*last = (struct digits){ rest, rest | bit, 64 - 8 * count, count };
	}
	return end;
}

/* A number, most likely as long as the last one in its place: where the next key begins is then
 * known before the digits are looked at, and the processor goes on there. A length found in the
 * digits would make it wait at every number. */
static inline const char *number(const char *p, uint64_t *v, struct digits *last)
{
	uint64_t t = digits_at(p);

	if ((others(t) | last->rest) != last->shape || !(t & 0xff))
		return other_number(p, v, last);
	t <<= last->shift;
	*v = last->count <= 4 ? four((uint32_t)(t >> 32)) : eight(t);
	return p + last->count;
}

/* One that does not begin as `last` says, which then learns it. */
static __attribute__((noinline)) const char *other_time(
	const char *p, uint64_t *v, struct instant *last)
{
	const char *end = any_number(p, v);
	ptrdiff_t high = end ? end - p - 7 : 0;

	if (high > 0) {
		/* Two words that hold all high digits; the same one twice, beginning in the key,
		 * where there are few. */
		last->high_count = high;
		last->high = *v - *v % 10000000;
		last->head_at = high > 8 ? 0 : high - 8;
		last->head = load8(p + last->head_at);
		last->tail = load8(p + high - 8);
	}
	return end;
}

/* A time, most likely as long as the last one and in the same 10 ms, so that all but seven digits
 * are the same. */
static inline const char *time_ns(const char *p, uint64_t *v, struct instant *last)
{
	const char *low = p + last->high_count;
	uint64_t t = digits_at(low);

	if ((load8(p + last->head_at) ^ last->head) | (load8(low - 8) ^ last->tail) |
	    ((others(t) & 0x80 * ONES) ^ 1ull << 63))
		return other_time(p, v, last);
	*v = last->high + eight(t << 8);
	return low + 7;
}

/* Eight lower-case hexadecimal digits. */
static inline bool hex8(const char *p, uint64_t *v)
{
	uint64_t c = load8(p), letter = (c >> 6) & ONES, t = (c & 0x0f * ONES) + letter * 9;

	/* A letter's place in ASCII is 0x60 and its value is above 9, a digit's 0x30 and at most
	 * 9. */
	if (((c & 0xf0 * ONES) ^ (0x30 * ONES + letter * 0x30)) | (t & 0xf0 * ONES) |
	    (((t + 6 * ONES) & 0x10 * ONES) ^ letter << 4))
		return false;
	t = (t * (1 + (16 << 8)) >> 8) & 0x00ff00ff00ff00ffull;
	t = (t * (1 + (256 << 16)) >> 16) & 0x0000ffff0000ffffull;
	*v = t * (1 + (65536ull << 32)) >> 32;
	return true;
}

static __attribute__((noinline)) bool other_half(const char *p, struct half *last)
{
	if (!hex8(p, &last->value))
		return false;
	last->text = load8(p);
	return true;
}

/* Sixteen: none or an address, whose first half is most likely that of the last. */
static inline const char *hex16(const char *p, uint64_t *v, struct half *last)
{
	uint64_t low;

	*v = 0;
	if (starts(p, "0000000000000000"))
		return p + 16;
	if ((load8(p) != last->text && !other_half(p, last)) || !hex8(p + 8, &low))
		return NULL;
	*v = last->value << 32 | low;
	return p + 16;
}

#endif
