/* out.h - put a line together, piece by piece. */
#ifndef GOTRACE_OUT_H
#define GOTRACE_OUT_H

#include "map.h"

/* A line is put from out_begin() on, piece by piece, each returning where the next one goes, up to
 * out_end(). Of pieces other than out_string, which may be of any length, OUT_ROOM bytes fit
 * between two calls of out_room(). Pieces copy in blocks: what they read and write may be as much
 * as OUT_PAD bytes longer than what counts. */
enum { OUT_ROOM = 1024 };
extern char *out_at, *out_limit;
extern char out_digits[10001][4];	/* the last one is padding */
extern bool out_gone;			/* nobody reads any more, or no more can be written */
void out_open(FILE *);			/* where to; before anything else here */
char *out_full(char *p);		/* most of it is written, and there is room again */
char *out_flush(char *p);		/* all is */
bool out_close(const char *program);	/* false, and a message, when not all could be written */

static inline char *out_room(char *p)
{
	return p > out_limit ? out_full(p) : p;
}
static inline char *out_begin(void)
{
	return out_room(out_at);
}
static inline void out_end(char *p)
{
	out_at = p;
}
static inline __attribute__((always_inline)) char *out_copy(char *p, const char *s, size_t len)
{
	memcpy(p, s, len);
	return p + len;
}
#define OUT(p, literal) out_copy(p, literal, sizeof(literal) - 1)

static inline char *out_bytes(char *p, const char *s, size_t len)
{
	memcpy(p, s, OUT_PAD);
	for (size_t i = OUT_PAD; i < len; i += 16)
		memcpy(p + i, s + i, 16);
	return p + len;
}
char *out_word(char *p, const char *);		/* short */
char *out_string(char *p, struct ctt_text);		/* as JSON */
char *out_long(char *p, uint64_t v);	/* above 9999 */
static inline char *out_number(char *p, uint64_t v)
{
	size_t len = 1 + (v > 9) + (v > 99) + (v > 999);

	if (v > 9999)
		return out_long(p, v);
	memcpy(p, out_digits[v] + 4 - len, 4);
	return p + len;
}

/* A count that goes up keeps its digits: nothing is divided to print it. No count of events has
 * more than 16. */
static inline char *out_count(char *p, const struct go_count *c)
{
	memcpy(p, c->text, sizeof(c->text));
	return p + c->len;
}
void out_carry(struct go_count *);
static inline void out_count_up(struct go_count *c, int by)	/* by 1 or 2 */
{
	char *last = c->text + c->len - 1;

	*last = (char)(*last + by);
	if (*last <= '9')
		return;
	if (c->len > 1 && last[-1] < '9') {
		*last = (char)(*last - 10);
		last[-1]++;
	} else {
		out_carry(c);
	}
}

/* Times follow one another: all but their last four digits are mostly those of the one before, and
 * stand ready. */
struct out_time {
	uint64_t base;		/* ts / 10000 * 10000 */
	size_t len[2];
	/* ,"is_active":false,"ts": and the high digits; the same with true */
	char text[2][48];
};
enum { OUT_TS = 18 };		/* where in the first ,"ts": begins */
extern struct out_time out_time;
bool out_new_time(uint64_t ts);	/* false: it has no more than four digits */
char *out_short_time(char *p, const char *key, uint64_t ts);
/* ,"is_active":ACTIVE,"ts":NS */
static inline char *out_active(char *p, bool active, uint64_t ts)
{
	if (ts - out_time.base >= 10000 && !out_new_time(ts))
		return out_short_time(
			p, active ? ",\"is_active\":true" : ",\"is_active\":false", ts);
	memcpy(p, out_time.text[active], sizeof(out_time.text[active]));
	p += out_time.len[active];
	memcpy(p, out_digits[ts - out_time.base], 4);
	return p + 4;
}
/* ,"ts":NS */
static inline char *out_ts(char *p, uint64_t ts)
{
	if (ts - out_time.base >= 10000 && !out_new_time(ts))
		return out_short_time(p, "", ts);
	memcpy(p, out_time.text[0] + OUT_TS, sizeof(out_time.text[0]) - OUT_TS);
	p += out_time.len[0] - OUT_TS;
	memcpy(p, out_digits[ts - out_time.base], 4);
	return p + 4;
}

#endif
