/* value.h - what a row's values are made of: for those who write rows. */
#ifndef SQL_VALUE_H
#define SQL_VALUE_H

#include <string.h>

#include "sql.h"

static inline struct sql_value null(void) { return (struct sql_value){ .type = SQL_NULL }; }
static inline struct sql_value number(uint64_t v)
{
	return (struct sql_value){ .type = SQL_NUMBER, .number = v };
}
static inline struct sql_value run_number(const struct sql_sink *s, uint32_t run)
{
	return number(s->first_run + run);
}
static inline struct sql_value number_if(bool known, uint64_t v)
{
	return known ? number(v) : null();
}
static inline struct sql_value nonzero(uint64_t v) { return number_if(v, v); }

static inline struct sql_value bytes(const char *p, size_t len)
{
	return (struct sql_value){ .type = p ? SQL_TEXT : SQL_NULL, .text = p, .len = p ? len : 0 };
}

static inline struct sql_value string(const char *s) { return s ? bytes(s, strlen(s)) : null(); }
static inline struct sql_value text(struct ctt_text t) { return bytes(t.p, t.len); }

/* Room for the text of an object without one of its own, and of an address: of the caller's block,
 * which writes the row. */
#define OBJECT_ROOM ((char[64]){ 0 })
#define ADDRESS_ROOM ((char[19]){ 0 })

/* In one spelling whatever the trace's, so that rows compare. buf is OBJECT_ROOM. */
static inline struct sql_value object(char *buf, const struct ctt_on *on)
{
	if (on->kind == CTT_ON_NONE)
		return null();
	if (on->text.p && !on->number)
		return text(on->text);
	return string(ctt_on_text(buf, 64, on));
}

/* The same of what a coroutine waits on, which may be several things. buf is WAIT_ROOM. */
#define WAIT_SIZE 5000
#define WAIT_ROOM ((char[WAIT_SIZE]){ 0 })
static inline struct sql_value waits_on(char *buf, const struct ctt_coro *c)
{
	return c->legs ? string(ctt_wait_text(buf, WAIT_SIZE, c)) : object(buf, &c->on);
}

/* buf is ADDRESS_ROOM. */
static inline struct sql_value address(char *buf, uint64_t v)
{
	buf[0] = '0';
	buf[1] = 'x';
	for (int i = 0; i < 16; i++)
		buf[2 + i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
	return bytes(buf, 18);
}

#endif
