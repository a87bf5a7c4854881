/* csv-text.c - cells of CSV as RFC 4180 has them. Contracts in csv.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "csv.h"

struct text csv_null = { "", 0 };
const char *csv_run;

void csv_grow(struct csv_buf *b, size_t more)
{
	b->size = 2 * (b->len + more);
	b->p = realloc(b->p, b->size);
	if (!b->p)
		die("ct-tocsv", "out of memory", NULL);
}

void csv_number(struct csv_buf *b, uint64_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
		"464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
	size_t digits = 1;
	char *p;

	for (uint64_t rest = v; rest >= 10; rest /= 10)
		digits++;
	if (b->size - b->len < digits)
		csv_grow(b, digits);
	p = b->p + b->len + digits;
	b->len += digits;
	for (; v >= 100; v /= 100)
		memcpy(p -= 2, pairs + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(p - 2, pairs + v * 2, 2);
	else
		p[-1] = (char)('0' + v);
}

void csv_nonzero(struct csv_buf *b, uint64_t v)
{
	if (v)
		csv_number(b, v);
}

void csv_address(struct csv_buf *b, uint64_t v)
{
	char buf[18] = "0x";

	for (int i = 0; i < 16; i++)
		buf[2 + i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
	csv_raw(b, buf, sizeof(buf));
}

/* Some readers strip spaces at the ends of what is not quoted. */
static bool is_plain(const char *p, size_t len)
{
	if (!len || *p == ' ' || p[len - 1] == ' ' || (len == csv_null.len && !memcmp(p, csv_null.p, len)))
		return false;
	for (size_t i = 0; i < len; i++)
		if (p[i] == '"' || p[i] == ',' || p[i] == '\n' || p[i] == '\r' || p[i] == '\0')
			return false;
	return true;
}

void csv_text(struct csv_buf *b, const char *p, size_t len)
{
	if (!p)
		return;
	if (is_plain(p, len)) {
		csv_raw(b, p, len);
		return;
	}
	csv_raw(b, "\"", 1);
	for (const char *end = p + len; p < end; p++) {
		if (*p == '"')
			csv_raw(b, "\"\"", 2);
		else if (*p)
			csv_raw(b, p, 1);
		else			/* no reader of CSV takes NUL */
			csv_raw(b, "\xe2\x90\x80", 3);
	}
	csv_raw(b, "\"", 1);
}

void csv_string(struct csv_buf *b, const char *s)
{
	if (s)
		csv_text(b, s, strlen(s));
}

/* In the line's own spelling; the model keeps numbers as numbers. */
void csv_object(struct csv_buf *b, const struct on *on)
{
	char buf[64];

	if (on->kind == ON_NONE)
		return;
	if (on->text.p)
		csv_text(b, on->text.p, on->text.len);
	else
		csv_string(b, on_text(buf, sizeof(buf), on));
}

const char *csv_run_name(uint32_t run)
{
	static char name[160];
	static uint32_t named = UINT32_MAX;

	if (run == named)
		return name;
	named = run;
	if (csv_run && !run)
		snprintf(name, sizeof(name), "%s", csv_run);
	else
		snprintf(name, sizeof(name), "%s%s%" PRIu64, csv_run ? csv_run : "", csv_run ? "-" : "", run + UINT64_C(1));
	return name;
}

void csv_run_cell(struct csv_buf *b, uint32_t run)
{
	csv_string(b, csv_run_name(run));
}
