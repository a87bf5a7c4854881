/* line.c - the canonical form of a trace line, read straight on: keys compared whole, digits eight
 * at a time.
 *
 * {"probe_id":7,"tid":4711,"addr":"0x00007f3a10000b70","seq":18,"is_active":false,"ts":123456789,"ev":"suspend","n":9}
 *
 * What the lines before taught (how long the numbers are, how times begin) makes it faster, and is
 * checked each time. Whatever is not exactly that (an escape, white space, a number of 20 digits,
 * another order) is left to kinds.c, which also knows what to say of it. Nothing here may accept
 * what that refuses, or read it otherwise: t/fuzz compares.
 */
#include <string.h>

#include "read/scan.h"

/* All readers below take where a thing begins and return where it ends, or NULL where it is not
 * canonical. */
#define TAKE(read) do { if (!(p = (read))) return NULL; } while (0)
#define SKIP(literal) TAKE(starts(p, literal) ? p + sizeof(literal) - 1 : NULL)
/* An optional key: absent is fine, present with another kind of value is not canonical. */
#define OPTIONAL(key, flag, reader, ...) do { \
	if (starts(p, key)) { \
		TAKE(reader(p + sizeof(key) - 1, __VA_ARGS__)); \
		ev->has |= (flag); \
	} \
} while (0)

/* Up to and with the closing quote; plain ASCII only. */
static inline const char *text(const char *p, struct ctt_text *t)
{
	const char *start = p;

	while (*p != '"' && *p != '\\' && *p >= ' ' && *p < 0x7f)
		p++;
	*t = (struct ctt_text){ start, (size_t)(p - start) };
	return *p == '"' ? p + 1 : NULL;
}

#define WORD(word, value) if (starts(p, word ":")) return *kind = (value), p + sizeof(word)

static inline const char *on_word(const char *p, enum ctt_on_kind *kind)
{
	WORD("fd", CTT_ON_FD);
	WORD("chan", CTT_ON_CHAN);
	WORD("mutex", CTT_ON_MUTEX);
	WORD("timer", CTT_ON_TIMER);
	WORD("coro", CTT_ON_CORO);
	WORD("cond", CTT_ON_COND);
	WORD("sem", CTT_ON_SEM);
	WORD("join", CTT_ON_JOIN);
	WORD("room", CTT_ON_ROOM);
	return NULL;
}

static __attribute__((noinline)) const char *other_on(const char *p, struct ctt_on *o)
{
	struct ctt_text t;

	TAKE(text(p, &t));
	on_parse(o, t.p, t.len);
	return p;
}

/* With an object that is a number; others in other_on. */
static inline const char *on(const char *start, struct ctt_on *o, struct habits *last)
{
	const char *p = on_word(start, &o->kind);

	if (p)
		p = starts(p, "0x") ? hex16(p + 2, &o->value, &last->object) :
				      number(p, &o->value, &last->on);
	if (!p || *p != '"')
		return other_on(start, o);
	o->known = o->number = true;
	o->text = (struct ctt_text){ start, (size_t)(p - start) };
	return p + 1;
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

#define KIND(word, value) if (starts(p, ",\"ev\":\"" word "\"")) return ev->kind = (value), p + sizeof(word) + 7

/* `"ev"`, where it is one of these. */
static inline const char *coro_kind(const char *p, struct ctt_event *ev)
{
	KIND("suspend", CTT_EV_SUSPEND);
	KIND("resume", CTT_EV_RESUME);
	KIND("wake", CTT_EV_WAKE);
	KIND("create", CTT_EV_CREATE);
	KIND("destroy", CTT_EV_DESTROY);
	KIND("state", CTT_EV_STATE);
	return NULL;
}

/* What follows "ev" in a coroutine line. */
static inline const char *coro_rest(const char *p, struct ctt_event *ev, struct habits *last)
{
	OPTIONAL(",\"n\":", CTT_HAS_N, number, &ev->n, &last->n);
	if (*p == '}')
		return p;
	OPTIONAL(",\"site\":", CTT_HAS_SITE, number, &ev->site, &last->site);
	OPTIONAL(",\"on\":\"", 0, on, &ev->on, last);
	if (*p == '}')
		return p;
	OPTIONAL(",\"any_of\":", 0, number, &ev->any_of, &last->other);
	OPTIONAL(",\"all_of\":", 0, number, &ev->all_of, &last->other);
	OPTIONAL(",\"parent\":", CTT_HAS_PARENT, number, &ev->parent, &last->parent);
	OPTIONAL(",\"by\":", CTT_HAS_BY, number, &ev->by, &last->by);
	OPTIONAL(",\"on\":\"", 0, on, &ev->on, last);
	OPTIONAL(",\"done\":", CTT_HAS_DONE, boolean, &ev->done);
	OPTIONAL(",\"result\":", 0, boolean, &ev->result);
	OPTIONAL(",\"stack\":", CTT_HAS_STACK, number, &ev->stack, &last->other);
	OPTIONAL(",\"reason\":\"", 0, text, &ev->reason);
	return p;
}

/* No "ev": a version 1 writer. */
static __attribute__((noinline)) const char *v1_rest(
	const char *p, struct ctt_event *ev, struct habits *last)
{
	ev->v1 = true;
	ev->kind = ev->is_active ? CTT_EV_RESUME : CTT_EV_SUSPEND;
	OPTIONAL(",\"n\":", CTT_HAS_N, number, &ev->n, &last->n);	/* reported by ct-record */
	return ev->tid && ev->seq && !(ev->seq >> 48) ? p : NULL;
}

static inline const char *active(const char *p, bool *b)
{
	*b = !starts(p, ",\"is_active\":false,\"ts\":");
	if (!*b)
		return p + 24;
	SKIP(",\"is_active\":true,\"ts\":");
	return p;
}

static inline const char *coro_line(const char *p, struct ctt_event *ev, struct habits *last)
{
	const char *rest;

	TAKE(number(p, &ev->probe_id, &last->probe_id));
	SKIP(",\"tid\":");
	TAKE(number(p, &ev->tid, &last->tid));
	SKIP(",\"addr\":\"0x");
	TAKE(hex16(p, &ev->addr, &last->addr));
	SKIP("\",\"seq\":");
	TAKE(number(p, &ev->seq, &last->seq));
	TAKE(active(p, &ev->is_active));
	TAKE(time_ns(p, &ev->ts, &last->ts));
	ev->has = CTT_HAS_PROBE | CTT_HAS_TID | CTT_HAS_ADDR | CTT_HAS_SEQ | CTT_HAS_TS;
	/* What cannot be true is kinds.c's to name. */
	if (!ev->probe_id || !ev->ts || ev->tid >> 32)
		return NULL;
	rest = coro_kind(p, ev);
	return rest ? coro_rest(rest, ev, last) : v1_rest(p, ev, last);
}

/* The keys that the kind has of its own. */
static const char *own_keys(const char *p, struct ctt_event *ev, struct habits *last)
{
	switch (ev->kind) {
	case CTT_EV_NOTIFY:
		OPTIONAL(",\"woken\":", CTT_HAS_VALUE, number, &ev->notify.woken,
			&last->other);
		break;
	case CTT_EV_LEVEL:
		OPTIONAL(",\"value\":", CTT_HAS_VALUE, number, &ev->level.value, &last->other);
		break;
	case CTT_EV_PARK:
	case CTT_EV_UNPARK:
		OPTIONAL(",\"depth\":", CTT_HAS_VALUE, number, &ev->park.depth, &last->other);
		break;
	case CTT_EV_LOST:
		ev->lost.count = 1;
		OPTIONAL(",\"count\":", CTT_HAS_VALUE, number, &ev->lost.count, &last->other);
		OPTIONAL(",\"from\":", 0, number, &ev->lost.from, &last->other);
		OPTIONAL(",\"to\":", 0, number, &ev->lost.to, &last->other);
		break;
	default:
		break;
	}
	return p;
}

/* The frequent ones among the other lines. Apart, as is all that is not in every line: registers
 * are few. */
static __attribute__((noinline)) const char *other_line(
	const char *p, struct ctt_event *ev, struct habits *last)
{
	static const uint64_t kinds = CTT_KIND(OPEN) | CTT_KIND(CLOSE) | CTT_KIND(NOTIFY) |
		CTT_KIND(LEVEL) | CTT_KIND(ACQUIRE) | CTT_KIND(RELEASE) |
		CTT_KIND(PARK) | CTT_KIND(UNPARK) | CTT_KIND(LOST) | CTT_KIND(SYNC) |
		CTT_KIND(DEQUEUE) | CTT_KIND(DEADLINE) | CTT_KIND(LEG);
	struct ctt_text kind;

	TAKE(text(p, &kind));
	ev->kind = ev_parse(kind.p, kind.len);
	if (!(kinds >> ev->kind & 1))
		return NULL;
	OPTIONAL(",\"ts\":", CTT_HAS_TS, time_ns, &ev->ts, &last->ts);
	if (!ev->ts && is_timed(ev->kind))
		return NULL;			/* kinds.c's to name */
	OPTIONAL(",\"tid\":", CTT_HAS_TID, number, &ev->tid, &last->tid);
	OPTIONAL(",\"probe_id\":", CTT_HAS_PROBE, number, &ev->probe_id, &last->probe_id);
	OPTIONAL(",\"n\":", CTT_HAS_N, number, &ev->n, &last->n);
	OPTIONAL(",\"by\":", CTT_HAS_BY, number, &ev->by, &last->by);
	OPTIONAL(",\"on\":\"", 0, on, &ev->on, last);
	TAKE(own_keys(p, ev, last));
	OPTIONAL(",\"name\":\"", 0, text, &ev->name);
	OPTIONAL(",\"site\":", CTT_HAS_SITE, number, &ev->site, &last->site);
	return p;
}

/* In pieces that compilers turn into plain stores: as one piece GCC makes a "rep stos" of it, five
 * times as slow. */
static inline void clear(struct ctt_event *ev)
{
	enum { SIZE = offsetof(struct ctt_event, line), PIECE = 64 };
	char *p = (char *)ev;

#pragma GCC unroll 8
	for (int i = 0; i < SIZE / PIECE; i++)
		memset(p + i * PIECE, 0, PIECE);
	memset(p + SIZE / PIECE * PIECE, 0, SIZE % PIECE);
}

const char *line_parse(struct ctt_event *ev, const char *p, struct habits *last)
{
	clear(ev);
	if (starts(p, "{\"probe_id\":"))
		p = coro_line(p + 12, ev, last);
	else
		p = starts(p, "{\"ev\":\"") ? other_line(p + 7, ev, last) : NULL;
	return p && p[0] == '}' && p[1] == '\n' ? p + 1 : NULL;
}
