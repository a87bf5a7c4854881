/* json.c - texts and times in Trace Event JSON. Contracts in json.h. */
#include <stdbool.h>
#include <stdio.h>

#include "json.h"

static inline bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != '"' && c != '\\' && c != 0x7f;
}

/* Are these eight bytes ASCII that needs no escape? */
static inline bool are_plain(uint64_t v)
{
	uint64_t odd = v | (v - PUT_EACH(' ')) | ((v ^ PUT_EACH('"')) - PUT_EACH(1)) |
		((v ^ PUT_EACH('\\')) - PUT_EACH(1)) | ((v ^ PUT_EACH(0x7f)) - PUT_EACH(1));

	return !(odd & PUT_EACH(0x80));
}

static inline uint64_t eight_at(const char *s)
{
	uint64_t v;

	memcpy(&v, s, 8);
	return v;
}

static inline uint64_t four_at(const char *s)
{
	uint32_t v;

	memcpy(&v, s, 4);
	return v;
}

/* Put as many of the first bytes as are ASCII and plain: eight at a time, of the last ones some
 * twice. */
static inline size_t put_plain(char *p, const char *s, size_t len)
{
	size_t i = 0;

	for (uint64_t v; i + 8 <= len && are_plain(v = eight_at(s + i)); i += 8)
		memcpy(p + i, &v, 8);
	if (i + 8 > len && len >= 4) {
		size_t at = len >= 8 ? len - 8 : 0;
		uint64_t v = len >= 8 ? eight_at(s + at) : four_at(s) | four_at(s + len - 4) << 32;

		if (are_plain(v)) {
			if (len >= 8)
				memcpy(p + at, &v, 8);
			else {
				memcpy(p, s, 4);
				memcpy(p + len - 4, s + len - 4, 4);
			}
			return len;
		}
	}
	for (; i < len && is_plain(s[i]) && (unsigned char)s[i] < 0x80; i++)
		p[i] = s[i];
	return i;
}

/* Perfetto's reader takes the closing quote behind two backslashes for escaped, so the last one is
 * spelled otherwise. */
char *put_escaped(char *p, const char *s, size_t len)
{
	size_t plain = put_plain(p, s, len), i = plain;

	p += plain;
	for (; i < len; i++) {
		if (is_plain(s[i]))
			continue;
		p = put_utf8(p, s + plain, i - plain);
		p += sprintf(p, s[i] == '"' || (s[i] == '\\' && i + 1 < len) ? "\\%c" : "\\u%04x",
			(unsigned char)s[i]);
		plain = i + 1;
	}
	return plain < len ? put_utf8(p, s + plain, len - plain) : p;
}

static inline char *put_pair(char *p, unsigned v)
{
	return put_text(p, put_pairs + v * 2, 2);
}

/* A point and three digits. */
static inline char *put_fraction(char *p, unsigned ns)
{
	*p++ = '.';
	*p++ = (char)('0' + ns / 100);
	return put_pair(p, ns % 100);
}

/* Tenths of seconds are mostly those of the time before. */
enum { TENTH = 100000000 };
char *put_time(char *p, uint64_t ns)
{
	static struct { uint64_t tenths; char text[PUT_NUMBER]; size_t len; } last;
	uint64_t tenths = ns / TENTH;
	unsigned rest = (unsigned)(ns - tenths * TENTH), us = rest / 1000;

	if (!tenths)
		return put_fraction(put_number(p, us), rest % 1000);
	if (tenths != last.tenths) {
		last.tenths = tenths;
		last.len = (size_t)(put_number(last.text, tenths) - last.text);
	}
	memcpy(p, last.text, sizeof(last.text));
	p += last.len;
	*p++ = (char)('0' + us / 10000);
	us %= 10000;
	return put_fraction(put_pair(put_pair(p, us / 100), us % 100), rest % 1000);
}
