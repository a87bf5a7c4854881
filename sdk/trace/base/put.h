/* put.h - the text writer of programs that print millions of lines: what is put at p, where its
 * caller made room once for all of a line; each returns where it ended. */
#ifndef PUT_H
#define PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PUT_NUMBER = 20, PUT_HEX = 18 };	/* bytes at most */
extern const char put_pairs[201];	/* "00" to "99" (buf.c) */
extern const uint64_t put_tens[20];	/* 0, 10, 100 ... 10^19 */

static inline char *put_text(char *p, const char *s, size_t len)
{
	memcpy(p, s, len);
	return p + len;
}
/* inline: most lengths are known */
static inline char *put_word(char *p, const char *s)
{
	return put_text(p, s, strlen(s));
}

/* Decimal. How many digits: log2 times log10(2), and one more from that power of ten on. */
static inline char *put_number(char *p, uint64_t v)
{
	unsigned log = (unsigned)(64 - __builtin_clzll(v | 1)) * 1233 >> 12;
	char *end = p + log + (v >= put_tens[log]), *at = end;

	for (; v >= 10000; v /= 10000) {
		uint32_t four = (uint32_t)(v % 10000);

		memcpy(at -= 2, put_pairs + four % 100 * 2, 2);
		memcpy(at -= 2, put_pairs + four / 100 * 2, 2);
	}
	if (v >= 100) {
		memcpy(at -= 2, put_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(at - 2, put_pairs + v * 2, 2);
	else
		at[-1] = (char)('0' + v);
	return end;
}

/* Eight hexadecimal digits at once: a byte a digit, then 39 more for those from ten on. */
static inline char *put_hex8(char *p, uint32_t v)
{
	uint64_t x = v;

	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
	x += 0x3030303030303030 + ((x + 0x0606060606060606) >> 4 & 0x0101010101010101) * 39;
	for (int i = 0; i < 8; i++)
		p[i] = (char)(x >> (56 - 8 * i));
	return p + 8;
}
/* 0x and 16 digits */
static inline char *put_hex(char *p, uint64_t v)
{
	return put_hex8(put_hex8(put_text(p, "0x", 2), (uint32_t)(v >> 32)), (uint32_t)v);
}
/* A text that is kept to be put again and again: with bytes behind it, so that whole blocks are
 * copied. As many more than its length must there be room for. Begins as zero; free(text) ends it. */
enum { PUT_BLOCK = 32 };
struct kept { char *text; size_t len; };
void put_keep(struct kept *, const char *from, const char *to);	/* in place of what it was */
static inline char *put_kept(char *p, const struct kept *k)
{
	for (size_t i = 0; i < k->len; i += PUT_BLOCK)
		memcpy(p + i, k->text + i, PUT_BLOCK);
	return p + k->len;
}

/* A number of that byte eight times: to look at eight bytes of a text at once. */
#define PUT_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Bytes that are UTF-8 but for a sequence that was cut: what is not, becomes U+FFFD. At most three
 * bytes each. */
char *put_utf8(char *p, const char *s, size_t len);
#endif
