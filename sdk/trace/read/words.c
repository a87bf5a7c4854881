/* words.c - the words of the trace: what "ev" and "on" may say. Contracts in cttrace.h and internal.h. */
#include <string.h>

#include "read/internal.h"

static const char *const ev_names[EV_KINDS] = {
	[EV_UNKNOWN] = "unknown", [EV_CREATE] = "create", [EV_RESUME] = "resume", [EV_SUSPEND] = "suspend",
	[EV_WAKE] = "wake", [EV_DESTROY] = "destroy", [EV_STATE] = "state", [EV_META] = "meta", [EV_PROCESS] = "process", [EV_MAP] = "map",
	[EV_THREAD] = "thread", [EV_SITE] = "site", [EV_STACK] = "stack", [EV_NAME] = "name", [EV_OPEN] = "open",
	[EV_CLOSE] = "close", [EV_NOTIFY] = "notify", [EV_LEVEL] = "level", [EV_ACQUIRE] = "acquire",
	[EV_RELEASE] = "release", [EV_WAKER] = "waker", [EV_PARK] = "park", [EV_UNPARK] = "unpark", [EV_LOST] = "lost",
	[EV_SYNC] = "sync", [EV_EXIT] = "exit", [EV_END] = "end", [EV_CUT] = "cut", [EV_SYMBOL] = "symbol",
};
#define WORD(s) { s, sizeof(s) - 1 }
static const struct { const char *name; size_t len; } on_names[] = {
	[ON_NONE] = WORD(""), [ON_CORO] = WORD("coro"), [ON_FD] = WORD("fd"), [ON_TIMER] = WORD("timer"),
	[ON_MUTEX] = WORD("mutex"), [ON_COND] = WORD("cond"), [ON_SEM] = WORD("sem"), [ON_CHAN] = WORD("chan"),
	[ON_JOIN] = WORD("join"), [ON_USER] = WORD("user"), [ON_SYSCALL] = WORD("syscall"), [ON_SCHED] = WORD("sched"),
	[ON_NEVER] = WORD("never"), [ON_RUNTIME] = WORD("runtime"), [ON_OTHER] = WORD("other"),
};

const char *ev_name(enum ev_kind k)
{
	return ev_names[k < EV_KINDS ? k : EV_UNKNOWN];
}

const char *on_name(enum on_kind k)
{
	return on_names[k <= ON_OTHER ? k : ON_OTHER].name;
}

enum ev_kind ev_parse(const char *p, size_t len)
{
	if (len)
		for (enum ev_kind k = EV_CREATE; k < EV_KINDS; k++)
			if (ev_names[k][0] == *p && strlen(ev_names[k]) == len && !memcmp(ev_names[k], p, len))
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
		uint64_t d = (uint64_t)hex_digit(*p);	/* -1 is past any base */

		if (d >= base || n > (UINT64_MAX - d) / base)
			return false;
		n = n * base + d;
	}
	*v = n;
	return true;
}

void on_parse(struct on *on, const char *p, size_t len)
{
	size_t word = 0;

	while (word < len && p[word] != ':')
		word++;
	*on = (struct on){ .kind = ON_OTHER, .known = word + 1 < len || (word == len && len), .text = { p, len } };
	if (word == len)
		return;
	for (enum on_kind k = ON_CORO; k < ON_OTHER; k++)
		if (on_names[k].len == word && on_names[k].name[0] == *p && !memcmp(on_names[k].name, p, word)) {
			on->kind = k;
			on->number = k != ON_USER && on_number(p + word + 1, p + len, &on->value);
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
