/* text.c - cells of CSV as RFC 4180 has them. Contracts in csv.h. */
#include <inttypes.h>

#include "csv.h"

struct ctt_text csv_null = { "", 0 };
const char *csv_run;

void csv_nonzero(struct buf *b, uint64_t v)
{
	if (v)
		buf_number(b, v);
}

/* Some readers strip spaces at the ends of what is not quoted. */
static bool is_plain(const char *p, size_t len)
{
	if (!len || *p == ' ' || p[len - 1] == ' ' ||
		(len == csv_null.len && !memcmp(p, csv_null.p, len)))
		return false;
	for (size_t i = 0; i < len; i++)
		if (p[i] == '"' || p[i] == ',' || p[i] == '\n' || p[i] == '\r')
			return false;
	return true;
}

void csv_text(struct buf *b, const char *p, size_t len)
{
	if (!p)
		return;
	if (is_plain(p, len)) {
		buf_add(b, p, len);
		return;
	}
	buf_add(b, "\"", 1);
	for (const char *end = p + len; p < end; p++)
		if (*p == '"')
			buf_add(b, "\"\"", 2);
		else
			buf_add(b, p, 1);
	buf_add(b, "\"", 1);
}

void csv_string(struct buf *b, const char *s)
{
	if (s)
		csv_text(b, s, strlen(s));
}

/* In the line's own spelling; the model keeps numbers as numbers. */
static void csv_object(struct buf *b, const struct ctt_on *on)
{
	char buf[64];

	if (on->kind == CTT_ON_NONE)
		return;
	if (on->text.p)
		csv_text(b, on->text.p, on->text.len);
	else
		csv_string(b, ctt_on_text(buf, sizeof(buf), on));
}

void csv_wait(struct buf *b, const struct ctt_coro *c)
{
	char buf[5000];

	if (c->legs)
		csv_string(b, ctt_wait_text(buf, sizeof(buf), c));
	else
		csv_object(b, &c->on);
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
		snprintf(name, sizeof(name), "%s%s%" PRIu64, csv_run ? csv_run : "",
			csv_run ? "-" : "", run + UINT64_C(1));
	return name;
}

void csv_run_cell(struct buf *b, uint32_t run)
{
	csv_string(b, csv_run_name(run));
}
