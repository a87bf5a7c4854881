/* json.h - JSON as Trace Event files have it: what is put at p, where its caller made room, and
 * returns where it ended. Texts may become ESCAPED times as long as they were. */
#ifndef CHROME_JSON_H
#define CHROME_JSON_H

#include "base/put.h"

enum { ESCAPED = 6 };
/* Between quotes: UTF-8, control characters escaped. (json.c) */
char *put_escaped(char *p, const char *s, size_t len);
/* Microseconds, to the nanosecond. (json.c) */
char *put_time(char *p, uint64_t ns);
#define TS ",\"ts\":"

static inline char *put_byte(char *p, char c)
{
	*p = c;
	return p + 1;
}

static inline char *put_key(char *p, const char *key)
{
	return put_word(put_word(put_word(p, ",\""), key), "\":");
}

static inline char *quoted(char *p, const char *text, size_t len)
{
	return put_byte(put_escaped(put_byte(p, '"'), text, len), '"');
}

static inline char *key_text(char *p, const char *key, const char *text, size_t len)
{
	return quoted(put_key(p, key), text, len);
}

/* A reader's numbers are doubles: larger ones are texts, as are all ids. */
static inline char *exact(char *p, uint64_t v)
{
	if (v <= 1ull << 53)
		return put_number(p, v);
	return put_byte(put_number(put_byte(p, '"'), v), '"');
}

static inline char *key_number(char *p, const char *key, uint64_t v)
{
	return exact(put_key(p, key), v);
}

/* Of asynchronous events: of one process; with the time of a life's beginning, as an id may be used
 * again. */
static inline char *key_id(char *p, uint32_t run, uint64_t id, uint64_t since)
{
	p = put_word(p, ",\"id2\":{\"local\":\"");
	if (run)
		p = put_byte(put_number(p, run + 1ull), '/');
	p = put_number(p, id);
	if (since)
		p = put_number(put_byte(p, '@'), since);
	return put_word(p, "\"}");
}
#endif
