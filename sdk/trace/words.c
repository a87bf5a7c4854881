/* words.c - the words of the trace: what "ev" and "on" may say. Contracts in cttrace.h and internal.h. */
#include <string.h>

#include "internal.h"

static const char *const ev_names[EV_KINDS] = {
	[EV_UNKNOWN] = "unknown", [EV_CREATE] = "create", [EV_RESUME] = "resume", [EV_SUSPEND] = "suspend", [EV_WAKE] = "wake",
	[EV_DESTROY] = "destroy", [EV_STATE] = "state", [EV_META] = "meta", [EV_PROCESS] = "process", [EV_MAP] = "map",
	[EV_THREAD] = "thread", [EV_SITE] = "site", [EV_STACK] = "stack", [EV_NAME] = "name", [EV_OPEN] = "open",
	[EV_CLOSE] = "close", [EV_NOTIFY] = "notify", [EV_LEVEL] = "level", [EV_ACQUIRE] = "acquire",
	[EV_RELEASE] = "release", [EV_WAKER] = "waker", [EV_PARK] = "park", [EV_UNPARK] = "unpark", [EV_LOST] = "lost",
	[EV_SYNC] = "sync", [EV_EXIT] = "exit", [EV_END] = "end",
};
static const char *const on_names[] = {
	[ON_NONE] = "", [ON_CORO] = "coro", [ON_FD] = "fd", [ON_TIMER] = "timer", [ON_MUTEX] = "mutex", [ON_COND] = "cond",
	[ON_SEM] = "sem", [ON_CHAN] = "chan", [ON_JOIN] = "join", [ON_USER] = "user", [ON_OTHER] = "other",
};

const char *ev_name(enum ev_kind k)
{
	return ev_names[k < EV_KINDS ? k : EV_UNKNOWN];
}

const char *on_name(enum on_kind k)
{
	return on_names[k <= ON_OTHER ? k : ON_OTHER];
}

static bool same(const char *word, const char *p, size_t len)
{
	return word[0] == p[0] && strlen(word) == len && !memcmp(word, p, len);
}

enum ev_kind ev_parse(const char *p, size_t len)
{
	if (len)
		for (enum ev_kind k = EV_CREATE; k < EV_KINDS; k++)
			if (same(ev_names[k], p, len))
				return k;
	return EV_UNKNOWN;
}

/* "42" or "0x2a", all of it and within 64 bits. */
static bool on_number(const char *p, const char *end, uint64_t *v)
{
	bool hex = end - p > 2 && p[0] == '0' && p[1] == 'x';
	uint64_t base = hex ? 16 : 10, n = 0;

	if (p == end)
		return false;
	for (p += hex ? 2 : 0; p < end; p++) {
		uint64_t d = *p >= '0' && *p <= '9' ? (uint64_t)(*p - '0') : *p >= 'a' && *p <= 'f' ? (uint64_t)(*p - 'a') + 10 : 16;

		if (d >= base || n > (UINT64_MAX - d) / base)
			return false;
		n = n * base + d;
	}
	*v = n;
	return true;
}

void on_parse(struct on *on, const char *p, size_t len)
{
	const char *colon = memchr(p, ':', len), *end = p + len;
	size_t word = colon ? (size_t)(colon - p) : 0;

	*on = (struct on){ .kind = ON_OTHER, .known = colon ? colon + 1 < end : len > 0, .text = { p, len } };
	if (!word)
		return;
	for (enum on_kind k = ON_CORO; k < ON_OTHER; k++)
		if (same(on_names[k], p, word)) {
			on->kind = k;
			on->number = k != ON_USER && on_number(colon + 1, end, &on->value);
			return;
		}
}

bool on_equal(const struct on *a, const struct on *b)
{
	if (a->kind == ON_NONE || a->kind != b->kind || !a->known || !b->known)
		return false;
	if (a->number != b->number)
		return false;
	if (a->number)
		return a->value == b->value;
	return a->text.len == b->text.len && !memcmp(a->text.p, b->text.p, a->text.len);
}
