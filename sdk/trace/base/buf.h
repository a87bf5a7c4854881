/* buf.h - bytes that grow, for programs that print millions of lines (buf.c). */
#ifndef BUF_H
#define BUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {			/* begins as zero; free(p) ends it */
	char *p;
	size_t len, size;
};
void buf_grow(struct buf *, size_t more);	/* out of memory ends the program */
static inline void buf_room(struct buf *b, size_t more)
{
	if (b->size - b->len < more)
		buf_grow(b, more);
}
static inline void buf_add(struct buf *b, const char *p, size_t len)
{
	if (!len)		/* p may be NULL then */
		return;
	buf_room(b, len);
	memcpy(b->p + b->len, p, len);
	b->len += len;
}
static inline void buf_byte(struct buf *b, char c)
{
	buf_room(b, 1);
	b->p[b->len++] = c;
}
/* here, where the length of most is known */
static inline void buf_word(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}
void buf_number(struct buf *, uint64_t);	/* decimal */
void buf_hex(struct buf *, uint64_t);		/* 0x and 16 digits */
#endif
