/* buf.c - bytes that grow. Contracts in buf.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/buf.h"
#include "base/put.h"
#include "cttrace.h"

void buf_grow(struct buf *b, size_t more)
{
	b->size = 2 * (b->len + more);
	b->p = need(realloc(b->p, b->size));
}

const char put_pairs[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";
const uint64_t put_tens[20] = {
	0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
	10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
	1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
	10000000000000000000u
};

void buf_number(struct buf *b, uint64_t v)
{
	buf_room(b, PUT_NUMBER);
	b->len = (size_t)(put_number(b->p + b->len, v) - b->p);
}

void buf_hex(struct buf *b, uint64_t v)
{
	buf_room(b, PUT_HEX);
	b->len = (size_t)(put_hex(b->p + b->len, v) - b->p);
}

void put_keep(struct kept *k, const char *from, const char *to)
{
	k->len = (size_t)(to - from);
	k->text = need(realloc(k->text, k->len + PUT_BLOCK));
	memcpy(k->text, from, k->len);
	memset(k->text + k->len, 0, PUT_BLOCK);
}

char *put_utf8(char *p, const char *s, size_t len)
{
	const char *end = s + len;

	for (;;) {
		size_t n;

		for (uint64_t v; end - s >= 8; s += 8, p += 8) {
			memcpy(&v, s, 8);
			if (v & PUT_EACH(0x80))
				break;
			memcpy(p, &v, 8);
		}
		for (; s < end && (unsigned char)*s < 0x80; s++)
			*p++ = *s;
		if (s == end)
			break;
		n = ctt_utf8_length(s, end);
		p = n ? put_text(p, s, n) : put_word(p, "\xef\xbf\xbd");
		s += n ? n : 1;
	}
	return p;
}
