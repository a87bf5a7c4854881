/* buf.c - bytes that grow. Contracts in buf.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/buf.h"
#include "cttrace.h"

void buf_grow(struct buf *b, size_t more)
{
	b->size = 2 * (b->len + more);
	b->p = need(realloc(b->p, b->size));
}

void buf_number(struct buf *b, uint64_t v)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
		"4142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990"
		"919293949596979899";
	size_t digits = 1;
	char *p;

	for (uint64_t rest = v; rest >= 10; rest /= 10)
		digits++;
	buf_room(b, digits);
	p = b->p + b->len + digits;
	b->len += digits;
	for (; v >= 100; v /= 100)
		memcpy(p -= 2, pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(p - 2, pairs + v * 2, 2);
	else
		p[-1] = (char)('0' + v);
}

void buf_hex(struct buf *b, uint64_t v)
{
	char s[18] = "0x";

	for (int i = 0; i < 16; i++)
		s[2 + i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
	buf_add(b, s, sizeof(s));
}

void buf_utf8(struct buf *b, const char *p, size_t len)
{
	for (const char *end = p + len, *from = p; from < end; from = p) {
		size_t n = 1;

		while (p < end && (n = (unsigned char)*p < 0x80 ? 1 : ctt_utf8_length(p, end)))
			p += n;
		buf_add(b, from, (size_t)(p - from));
		if (!n) {
			buf_add(b, "\xef\xbf\xbd", 3);
			p++;
		}
	}
}
