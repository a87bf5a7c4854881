/* out.c - text for people and JSON for programs. Contracts in cttrace/text.h. */
#include <string.h>

#include "cttrace/text.h"

/* Overlong forms, surrogates and values past U+10FFFF are no UTF-8 (RFC 3629). */
size_t ctt_utf8_length(const char *s, const char *end)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t len = *p < 0x80 ? 1 :
		*p < 0xc2      ? 0 :
		*p < 0xe0      ? 2 :
		*p < 0xf0      ? 3 :
		*p < 0xf5      ? 4 :
				 0;

	if (!len || len > (size_t)(end - s))
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
		(*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

/* C0, DEL, C1; and what turns round the order in which a terminal shows what follows (U+202A-202E,
 * U+2066-2069, U+200E, U+200F, U+061C), so that a name could pass for another. n: the length of the
 * character. */
static bool is_control(const unsigned char *p, size_t n)
{
	if (n == 1)
		return *p < 0x20 || *p == 0x7f;
	if (n == 2)
		return (*p == 0xc2 && p[1] < 0xa0) || (*p == 0xd8 && p[1] == 0x9c);
	if (n != 3 || *p != 0xe2)
		return false;
	return p[1] == 0x80 ? (p[2] >= 0xaa && p[2] <= 0xae) || p[2] == 0x8e || p[2] == 0x8f :
		p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

/* Of one of these. */
static unsigned code_of(const unsigned char *p, size_t n)
{
	return n == 1 ? *p :
		n == 2 ? (*p & 0x1fu) << 6 | (p[1] & 0x3fu) :
			 (*p & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

void ctt_out_json(FILE *f, const char *s, size_t len)
{
	const char *end = s + len;

	putc('"', f);
	while (s < end) {
		size_t n = ctt_utf8_length(s, end);

		if (!n)
			fputs("\xef\xbf\xbd", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s == '\n')
			fputs("\\n", f);
		else if (*s == '\t')
			fputs("\\t", f);
		else if (is_control((const unsigned char *)s, n))
			fprintf(f, "\\u%04x", code_of((const unsigned char *)s, n));
		else
			fwrite(s, 1, n, f);
		s += n ? n : 1;
	}
	putc('"', f);
}

void ctt_out_text(FILE *f, const char *s, size_t len)
{
	const char *end = s + len, *from = s;

	while (s < end) {
		size_t n = ctt_utf8_length(s, end);

		if (n && !is_control((const unsigned char *)s, n)) {
			s += n;
			continue;
		}
		fwrite(from, 1, (size_t)(s - from), f);
		for (n = n ? n : 1; n; n--)
			fprintf(f, "\\x%02x", (unsigned char)*s++);
		from = s;
	}
	fwrite(from, 1, (size_t)(s - from), f);	/* at once: stderr is not buffered */
}

char *ctt_out_duration(char *buf, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = (double)ns;
	size_t u = 0;

	for (; u < 3 && v >= 999.5; u++)	/* after rounding: 999.6us is 1.00ms */
		v /= 1000;
	snprintf(buf, 24, "%.*f%s", u == 0 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v, units[u]);
	return buf;
}
