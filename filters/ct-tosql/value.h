/* value.h - what a row's values are made of: for those who write rows. */
#ifndef SQL_VALUE_H
#define SQL_VALUE_H

#include <string.h>

#include "sql.h"

static inline struct sql_value null(void) { return (struct sql_value){ .type = SQL_NULL }; }
static inline struct sql_value number(uint64_t v) { return (struct sql_value){ .type = SQL_NUMBER, .number = v }; }
static inline struct sql_value run_number(const struct sql_sink *s, uint32_t run) { return number(s->first_run + run); }
static inline struct sql_value number_if(bool told, uint64_t v) { return told ? number(v) : null(); }
static inline struct sql_value nonzero(uint64_t v) { return number_if(v, v); }

static inline struct sql_value bytes(const char *p, size_t len)
{
	return (struct sql_value){ .type = p ? SQL_TEXT : SQL_NULL, .text = p, .len = p ? len : 0 };
}

static inline struct sql_value string(const char *s) { return s ? bytes(s, strlen(s)) : null(); }
static inline struct sql_value text(struct ctt_text t)
{
	if (t.len && memchr(t.p, '\0', t.len))
		t = sql_without_nul(t);
	return bytes(t.p, t.len);
}

/* In one spelling whatever the trace's, so that rows compare; a row has one, so one buffer serves. */
static inline struct sql_value object(const struct ctt_on *on)
{
	static char buf[64];

	if (on->kind == CTT_ON_NONE)
		return null();
	if (on->text.p && !on->number)
		return text(on->text);
	return string(ctt_on_text(buf, sizeof(buf), on));
}

/* A row has one as well. */
static inline struct sql_value address(uint64_t v)
{
	static char buf[19] = "0x";

	for (int i = 0; i < 16; i++)
		buf[2 + i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
	return bytes(buf, 18);
}

#endif
