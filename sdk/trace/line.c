/* line.c - the canonical form of a trace line, read in a straight line: fixed keys compared whole, digits eight at a time.
 *
 * {"probe_id":7,"tid":4711,"addr":"0x00007f3a10000b70","seq":18,"is_active":false,"ts":123456789,"ev":"suspend","n":9}
 *
 * Whatever is not exactly that (an escape, white space, a number of 20 digits, another order) is left to json.c, which
 * also knows what to say of it. No check here may accept what json.c refuses, or read it otherwise: t/fuzz compares them.
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

/* Comparisons of constant size, which compilers turn into one or two loads. */
#define starts(p, literal) (!memcmp(p, literal, sizeof(literal) - 1))
#define skip(p, literal) (starts(*(p), literal) && (*(p) += sizeof(literal) - 1, true))

/* Eight ASCII digits, the first in the low byte, as one number. */
static uint64_t eight(uint64_t digits)
{
	digits = digits * 10 + (digits >> 8);
	return ((digits & 0x000000ff000000ffull) * 0x000f424000000064ull +
		((digits >> 16) & 0x000000ff000000ffull) * 0x0000271000000001ull) >> 32;
}

/* A number of at most 19 digits (so that it cannot overflow) without leading zeros. */
static bool number(const char **pp, uint64_t *v)
{
	static const uint64_t ten[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	const char *p = *pp;
	uint64_t n = 0;
	unsigned count;

	do {
		uint64_t t = load8(p) ^ 0x30 * ONES, other = ((t + 0x76 * ONES) | t) & 0x80 * ONES;

		count = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
		if (count == 8)
			n = n * 100000000 + eight(t);
		else if (count)
			n = n * ten[count] + eight(t << (64 - 8 * count));
		p += count;
	} while (count == 8);
	if (p == *pp || p - *pp > 19 || (**pp == '0' && p - *pp > 1))
		return false;
	*pp = p;
	*v = n;
	return true;
}

/* Eight lower-case hexadecimal digits; checked by writing the value back and comparing. */
static bool hex8(const char *p, uint64_t *v)
{
	uint64_t c = load8(p), nibbles = (c & 0x0f * ONES) + ((c >> 6) & ONES) * 9, letter, x;

	letter = ((nibbles + 6 * ONES) >> 4) & ONES;
	if ((nibbles & 0xf0 * ONES) || nibbles + 0x30 * ONES + letter * 0x27 != c)
		return false;
	x = __builtin_bswap64(nibbles);
	x = (x | x >> 4) & 0x00ff00ff00ff00ffull;
	x = (x | x >> 8) & 0x0000ffff0000ffffull;
	*v = *v << 32 | ((x | x >> 16) & 0xffffffff);
	return true;
}

/* Up to the closing quote; plain ASCII only. */
static bool text(const char **pp, struct text *t)
{
	const char *p = *pp;

	while (*p != '"' && *p != '\\' && *p >= ' ' && *p < 0x7f)
		p++;
	if (*p != '"')
		return false;
	t->p = *pp;
	t->len = (size_t)(p - *pp);
	*pp = p + 1;
	return true;
}

static bool on(const char **pp, struct on *o)
{
	struct text t;

	if (!text(pp, &t))
		return false;
	on_parse(o, t.p, t.len);
	return true;
}

/* An optional key: absent is fine, present with another value is not canonical. */
#define optional(p, key, parse, flag) (!skip(p, key) || ((parse) && (ev->has |= (flag), true)))

static bool coro_kind(const char **p, struct event *ev)
{
	if (skip(p, "suspend\""))
		ev->kind = EV_SUSPEND;
	else if (skip(p, "resume\""))
		ev->kind = EV_RESUME;
	else if (skip(p, "wake\""))
		ev->kind = EV_WAKE;
	else if (skip(p, "create\""))
		ev->kind = EV_CREATE;
	else if (skip(p, "destroy\""))
		ev->kind = EV_DESTROY;
	else if (skip(p, "state\""))
		ev->kind = EV_STATE;
	else
		return false;
	return true;
}

static bool boolean(const char **p, bool *b)
{
	if (skip(p, "false"))
		return true;		/* *b is clear already */
	return skip(p, "true") && (*b = true);
}

/* `"ev"` and what follows it in a coroutine line. */
static bool coro_rest(const char **p, struct event *ev)
{
	ev->v1 = false;
	return coro_kind(p, ev) &&
		optional(p, ",\"n\":", number(p, &ev->n), HAS_N) &&
		optional(p, ",\"site\":", number(p, &ev->site), HAS_SITE) &&
		optional(p, ",\"parent\":", number(p, &ev->parent), HAS_PARENT) &&
		optional(p, ",\"by\":", number(p, &ev->by), HAS_BY) &&
		optional(p, ",\"on\":\"", on(p, &ev->on), 0) &&
		optional(p, ",\"done\":", boolean(p, &ev->done), HAS_DONE) &&
		optional(p, ",\"stack\":", number(p, &ev->stack), HAS_STACK) &&
		optional(p, ",\"reason\":\"", text(p, &ev->reason), 0);
}

static bool coro_line(const char **p, struct event *ev)
{
	if (!number(p, &ev->probe_id) ||
	    !skip(p, ",\"tid\":") || !number(p, &ev->tid) ||
	    !skip(p, ",\"addr\":\"0x") || !hex8(*p, &ev->addr) || !hex8(*p + 8, &ev->addr))
		return false;
	*p += 16;
	if (!skip(p, "\",\"seq\":") || !number(p, &ev->seq) ||
	    !skip(p, ",\"is_active\":") || !boolean(p, &ev->is_active) ||
	    !skip(p, ",\"ts\":") || !number(p, &ev->ts))
		return false;
	ev->has = HAS_PROBE | HAS_TID | HAS_ADDR | HAS_SEQ | HAS_TS;
	ev->v1 = true;
	ev->kind = ev->is_active ? EV_RESUME : EV_SUSPEND;
	if (skip(p, ",\"ev\":\"") && !coro_rest(p, ev))
		return false;
	/* What cannot be true is json.c's to name. */
	return ev->probe_id && ev->ts && ev->tid >> 32 == 0 && (!ev->v1 || (ev->tid && ev->seq && ev->seq >> 48 == 0));
}

/* The key that holds `value`, by kind. */
static bool value(const char **p, struct event *ev)
{
	switch (ev->kind) {
	case EV_NOTIFY:	return optional(p, ",\"woken\":", number(p, &ev->value), HAS_VALUE);
	case EV_LEVEL:	return optional(p, ",\"value\":", number(p, &ev->value), HAS_VALUE);
	case EV_PARK:
	case EV_UNPARK:	return optional(p, ",\"depth\":", number(p, &ev->value), HAS_VALUE);
	case EV_LOST:	return optional(p, ",\"count\":", number(p, &ev->value), HAS_VALUE);
	default:	return true;
	}
}

/* The frequent ones among the other lines. */
static bool other_line(const char **p, struct event *ev)
{
	static const uint32_t kinds = 1u << EV_OPEN | 1u << EV_CLOSE | 1u << EV_NOTIFY | 1u << EV_LEVEL | 1u << EV_ACQUIRE |
		1u << EV_RELEASE | 1u << EV_PARK | 1u << EV_UNPARK | 1u << EV_LOST | 1u << EV_SYNC;
	struct text kind;

	if (!text(p, &kind))
		return false;
	ev->kind = ev_parse(kind.p, kind.len);
	return (kinds >> ev->kind & 1) &&
		optional(p, ",\"ts\":", number(p, &ev->ts), HAS_TS) &&
		optional(p, ",\"tid\":", number(p, &ev->tid), HAS_TID) &&
		optional(p, ",\"by\":", number(p, &ev->by), HAS_BY) &&
		optional(p, ",\"on\":\"", on(p, &ev->on), 0) &&
		value(p, ev) &&
		optional(p, ",\"name\":\"", text(p, &ev->name), 0) &&
		optional(p, ",\"site\":", number(p, &ev->site), HAS_SITE) &&
		(ev->kind != EV_LOST || (optional(p, ",\"from\":", number(p, &ev->from), 0) &&
					 optional(p, ",\"to\":", number(p, &ev->to), 0)));
}

bool line_parse(struct event *ev, const char *p, const char *end)
{
	memset(ev, 0, offsetof(struct event, line));
	if (skip(&p, "{\"probe_id\":") ? !coro_line(&p, ev) : !skip(&p, "{\"ev\":\"") || !other_line(&p, ev))
		return false;
	return *p == '}' && p + 1 == end;
}
