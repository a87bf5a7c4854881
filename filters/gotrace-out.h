/* gotrace-out.h - put a line together, piece by piece. */
#ifndef GOTRACE_OUT_H
#define GOTRACE_OUT_H

#include "gotrace.h"

/* A line is put from out_begin() on, piece by piece, each returning where the next one goes, up to out_end(). Of pieces
 * other than out_string, which may be of any length, OUT_ROOM bytes fit between two calls of out_room(). Pieces copy in
 * blocks: what they read and write may be as much as OUT_PAD bytes longer than what counts. */
enum { OUT_ROOM = 1024 };
extern char *out_at, *out_limit;
extern char out_digits[10001][4];	/* the last one is padding */
extern bool out_gone;			/* nobody reads any more, or no more can be written */
void out_open(FILE *);			/* where to; before anything else here */
char *out_full(char *p);
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
	for (size_t i = 0; i < len; i += 16)
		memcpy(p + i, s + i, 16);
	return p + len;
}
char *out_word(char *p, const char *);		/* short */
char *out_string(char *p, struct text);		/* as JSON */
char *out_long(char *p, uint64_t v);
static inline char *out_number(char *p, uint64_t v)
{
	size_t len = 1 + (v > 9) + (v > 99) + (v > 999);

	if (v > 9999)
		return out_long(p, v);
	memcpy(p, out_digits[v] + 4 - len, 4);
	return p + len;
}

/* ,"ts":NS. Times follow one another: their high digits are those of the last one. */
struct out_time { uint64_t high; size_t len; char text[16 + OUT_PAD]; };
extern struct out_time out_time;
void out_new_time(uint64_t high);
static inline char *out_ts(char *p, uint64_t ts)
{
	uint64_t high = ts / 100000000;
	uint32_t low = (uint32_t)(ts - high * 100000000);

	p = OUT(p, ",\"ts\":");
	if (!high)
		return out_number(p, ts);
	if (high != out_time.high)
		out_new_time(high);
	memcpy(p, out_time.text, 16);
	p += out_time.len;
	memcpy(p, out_digits[low / 10000], 4);
	memcpy(p + 4, out_digits[low % 10000], 4);
	return p + 8;
}

#endif
