/* utf8.h - which bytes are text. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* Length of the UTF-8 sequence at s, 0 when it is none. */
static inline size_t utf8_length(const unsigned char *s, size_t len)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 :
		   s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
	size_t i;

	if (n == 0 || n > len)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
		(s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
		return 0;
	return n;
}

/* Of such a sequence: does it act on a terminal, or turn round the order of what follows? */
static inline int utf8_acts(const unsigned char *s, size_t n)
{
	if (n == 1)
		return *s < 0x20 || *s == 0x7F;
	if (n == 2)
		return (*s == 0xC2 && s[1] < 0xA0) || (*s == 0xD8 && s[1] == 0x9C);
	if (n != 3 || *s != 0xE2)
		return 0;
	return s[1] == 0x80 ? (s[2] >= 0xAA && s[2] <= 0xAE) || s[2] == 0x8E || s[2] == 0x8F :
		s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9;
}

/* Of one of these. */
static inline unsigned utf8_code(const unsigned char *s, size_t n)
{
	return n == 1 ? *s :
		n == 2 ? (*s & 0x1Fu) << 6 | (s[1] & 0x3Fu) :
			 (*s & 0xFu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
}

#endif
