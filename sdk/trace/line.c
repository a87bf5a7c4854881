/* line.c - the canonical form of a trace line, read straight on: keys compared whole, digits eight at a time.
 *
 * {"probe_id":7,"tid":4711,"addr":"0x00007f3a10000b70","seq":18,"is_active":false,"ts":123456789,"ev":"suspend","n":9}
 *
 * Whatever is not exactly that (an escape, white space, a number of 20 digits, another order) is left to values.c,
 * which also knows what to say of it. Nothing here may accept what that refuses, or read it otherwise: t/fuzz compares.
 */
#include <string.h>

#include "internal.h"

#define ONES 0x0101010101010101ull

static uint64_t load8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline uint32_t load4(const char *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* memcmp, for a constant n up to 16: two loads that overlap. GCC calls the library for odd sizes. */
static inline bool same(const char *p, const char *literal, size_t n)
{
	if (n >= 8)
		return !((load8(p) ^ load8(literal)) | (load8(p + n - 8) ^ load8(literal + n - 8)));
	if (n >= 4)
		return !((load4(p) ^ load4(literal)) | (load4(p + n - 4) ^ load4(literal + n - 4)));
	return !memcmp(p, literal, n);
}
#define starts(p, literal) same(p, literal, sizeof(literal) - 1)

/* All readers below take where a thing begins and return where it ends, or NULL where it is not canonical. */
#define TAKE(read) do { if (!(p = (read))) return NULL; } while (0)
#define SKIP(literal) TAKE(starts(p, literal) ? p + sizeof(literal) - 1 : NULL)
/* An optional key: absent is fine, present with another kind of value is not canonical. */
#define OPTIONAL(key, reader, field, flag) do { \
	if (starts(p, key)) { \
		TAKE(reader(p + sizeof(key) - 1, field)); \
		ev->has |= (flag); \
	} \
} while (0)

/* Eight ASCII digits, the first in the low byte, as one number. */
static uint64_t eight(uint64_t digits)
{
	digits = digits * 10 + (digits >> 8);
	return ((digits & 0x000000ff000000ffull) * 0x000f424000000064ull +
		((digits >> 16) & 0x000000ff000000ffull) * 0x0000271000000001ull) >> 32;
}

/* A number of at most 19 digits (so that it cannot overflow) without leading zeros. Where it ends is found by branches
 * only: predicted, they let the processor begin on the next key; a computed length would make it wait at every number. */
static inline const char *number(const char *p, uint64_t *v)
{
	const char *start = p;
	uint64_t n = 0, t, other;

	while (t = load8(p) ^ 0x30 * ONES, !(other = ((t + 0x76 * ONES) | t) & 0x80 * ONES)) {
		n = n * 100000000 + eight(t);
		p += 8;
	}
	if (!(other & 0x80808080)) {
		t = t * 10 + (t >> 8);
		n = n * 10000 + (t & 0xff) * 100 + (t >> 16 & 0xff);
		p += 4;
		t = load8(p) ^ 0x30 * ONES;
	}
	for (; (t & 0xff) <= 9; t >>= 8, p++)
		n = n * 10 + (t & 0xff);
	*v = n;
	if (p == start || p - start > 19 || (*start == '0' && p - start > 1))
		return NULL;
	return p;
}

/* Sixteen lower-case hexadecimal digits; checked by writing the value back and comparing. */
static const char *hex16(const char *p, uint64_t *v)
{
	uint64_t n = 0;

	for (int half = 0; half < 2; half++, p += 8) {
		uint64_t c = load8(p), nibbles = (c & 0x0f * ONES) + ((c >> 6) & ONES) * 9, letter, x;

		if (c == 0x30 * ONES) {		/* every resume */
			n <<= 32;
			continue;
		}
		letter = ((nibbles + 6 * ONES) >> 4) & ONES;
		if ((nibbles & 0xf0 * ONES) || nibbles + 0x30 * ONES + letter * 0x27 != c)
			return NULL;
		x = __builtin_bswap64(nibbles);
		x = (x | x >> 4) & 0x00ff00ff00ff00ffull;
		x = (x | x >> 8) & 0x0000ffff0000ffffull;
		n = n << 32 | ((x | x >> 16) & 0xffffffff);
	}
	*v = n;
	return p;
}

/* Up to and with the closing quote; plain ASCII only. */
static inline const char *text(const char *p, struct text *t)
{
	const char *start = p;

	while (*p != '"' && *p != '\\' && *p >= ' ' && *p < 0x7f)
		p++;
	*t = (struct text){ start, (size_t)(p - start) };
	return *p == '"' ? p + 1 : NULL;
}

static const char *on(const char *p, struct on *o)
{
	struct text t;

	TAKE(text(p, &t));
	on_parse(o, t.p, t.len);
	return p;
}

static inline const char *boolean(const char *p, bool *b)
{
	*b = *p == 't';
	if (*b)
		SKIP("true");
	else
		SKIP("false");
	return p;
}

#define KIND(word, value) if (starts(p, word "\"")) return ev->kind = (value), p + sizeof(word)

static inline const char *coro_kind(const char *p, struct event *ev)
{
	KIND("suspend", EV_SUSPEND);
	KIND("resume", EV_RESUME);
	KIND("wake", EV_WAKE);
	KIND("create", EV_CREATE);
	KIND("destroy", EV_DESTROY);
	KIND("state", EV_STATE);
	return NULL;
}

/* `"ev"` and what follows it in a coroutine line. */
static inline const char *coro_rest(const char *p, struct event *ev)
{
	TAKE(coro_kind(p, ev));
	ev->v1 = false;
	OPTIONAL(",\"n\":", number, &ev->n, HAS_N);
	OPTIONAL(",\"site\":", number, &ev->site, HAS_SITE);
	OPTIONAL(",\"parent\":", number, &ev->parent, HAS_PARENT);
	OPTIONAL(",\"by\":", number, &ev->by, HAS_BY);
	OPTIONAL(",\"on\":\"", on, &ev->on, 0);
	OPTIONAL(",\"done\":", boolean, &ev->done, HAS_DONE);
	OPTIONAL(",\"stack\":", number, &ev->stack, HAS_STACK);
	OPTIONAL(",\"reason\":\"", text, &ev->reason, 0);
	return p;
}

static inline const char *coro_line(const char *p, struct event *ev)
{
	TAKE(number(p, &ev->probe_id));
	SKIP(",\"tid\":");
	TAKE(number(p, &ev->tid));
	SKIP(",\"addr\":\"0x");
	TAKE(hex16(p, &ev->addr));
	SKIP("\",\"seq\":");
	TAKE(number(p, &ev->seq));
	SKIP(",\"is_active\":");
	TAKE(boolean(p, &ev->is_active));
	SKIP(",\"ts\":");
	TAKE(number(p, &ev->ts));
	ev->has = HAS_PROBE | HAS_TID | HAS_ADDR | HAS_SEQ | HAS_TS;
	ev->v1 = true;
	ev->kind = ev->is_active ? EV_RESUME : EV_SUSPEND;
	if (starts(p, ",\"ev\":\""))
		TAKE(coro_rest(p + 7, ev));
	else
		OPTIONAL(",\"n\":", number, &ev->n, HAS_N);	/* ct-record's of a version 1 writer */
	/* What cannot be true is values.c's to name. */
	if (!ev->probe_id || !ev->ts || ev->tid >> 32 || (ev->v1 && (!ev->tid || !ev->seq || ev->seq >> 48)))
		return NULL;
	return p;
}

/* The key that holds `value`, by kind. */
static const char *value(const char *p, struct event *ev)
{
	switch (ev->kind) {
	case EV_NOTIFY:
		OPTIONAL(",\"woken\":", number, &ev->value, HAS_VALUE);
		break;
	case EV_LEVEL:
		OPTIONAL(",\"value\":", number, &ev->value, HAS_VALUE);
		break;
	case EV_PARK:
	case EV_UNPARK:
		OPTIONAL(",\"depth\":", number, &ev->value, HAS_VALUE);
		break;
	case EV_LOST:
		OPTIONAL(",\"count\":", number, &ev->value, HAS_VALUE);
		OPTIONAL(",\"from\":", number, &ev->from, 0);
		OPTIONAL(",\"to\":", number, &ev->to, 0);
		break;
	default:
		break;
	}
	return p;
}

/* The frequent ones among the other lines. */
static const char *other_line(const char *p, struct event *ev)
{
	static const uint32_t kinds = 1u << EV_OPEN | 1u << EV_CLOSE | 1u << EV_NOTIFY | 1u << EV_LEVEL | 1u << EV_ACQUIRE |
		1u << EV_RELEASE | 1u << EV_PARK | 1u << EV_UNPARK | 1u << EV_LOST | 1u << EV_SYNC;
	struct text kind;

	TAKE(text(p, &kind));
	ev->kind = ev_parse(kind.p, kind.len);
	if (!(kinds >> ev->kind & 1))
		return NULL;
	OPTIONAL(",\"ts\":", number, &ev->ts, HAS_TS);
	OPTIONAL(",\"tid\":", number, &ev->tid, HAS_TID);
	OPTIONAL(",\"by\":", number, &ev->by, HAS_BY);
	OPTIONAL(",\"on\":\"", on, &ev->on, 0);
	TAKE(value(p, ev));
	OPTIONAL(",\"name\":\"", text, &ev->name, 0);
	OPTIONAL(",\"site\":", number, &ev->site, HAS_SITE);
	return p;
}

/* In pieces that compilers turn into plain stores: as one piece GCC makes a "rep stos" of it, five times as slow. */
static inline void clear(struct event *ev)
{
	enum { SIZE = offsetof(struct event, line), PIECE = 64 };
	char *p = (char *)ev;

#pragma GCC unroll 8
	for (int i = 0; i < SIZE / PIECE; i++)
		memset(p + i * PIECE, 0, PIECE);
	memset(p + SIZE / PIECE * PIECE, 0, SIZE % PIECE);
}

const char *line_parse(struct event *ev, const char *p)
{
	clear(ev);
	if (starts(p, "{\"probe_id\":"))
		p = coro_line(p + 12, ev);
	else
		p = starts(p, "{\"ev\":\"") ? other_line(p + 7, ev) : NULL;
	return p && p[0] == '}' && p[1] == '\n' ? p + 1 : NULL;
}
