/* utf8.h - where a text may be cut. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>

/* So many bytes of `s`, which has more, but no character in two. */
static inline size_t utf8_cut(const char *s, size_t most)
{
	while (most && ((unsigned char)s[most] & 0xc0) == 0x80)
		most--;
	return most;
}
#endif
