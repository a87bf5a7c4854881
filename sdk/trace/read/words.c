/* words.c - the words of the trace: what "ev" and "on" may say, and the number of each kind. Contracts in cttrace/event.h and
 * internal.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/put.h"
#include "base/utf8.h"
#include "read/internal.h"

enum { TEXT_MOST = 4096 };	/* of what is waited on, in words */

static const char *const ev_names[CTT_EV_KINDS] = {
	[CTT_EV_UNKNOWN] = "unknown",
	[CTT_EV_CREATE] = "create",
	[CTT_EV_RESUME] = "resume",
	[CTT_EV_SUSPEND] = "suspend",
	[CTT_EV_WAKE] = "wake",
	[CTT_EV_DESTROY] = "destroy",
	[CTT_EV_STATE] = "state",
	[CTT_EV_META] = "meta",
	[CTT_EV_PROCESS] = "process",
	[CTT_EV_MAP] = "map",
	[CTT_EV_THREAD] = "thread",
	[CTT_EV_SITE] = "site",
	[CTT_EV_STACK] = "stack",
	[CTT_EV_NAME] = "name",
	[CTT_EV_OPEN] = "open",
	[CTT_EV_CLOSE] = "close",
	[CTT_EV_NOTIFY] = "notify",
	[CTT_EV_LEVEL] = "level",
	[CTT_EV_ACQUIRE] = "acquire",
	[CTT_EV_RELEASE] = "release",
	[CTT_EV_WAKER] = "waker",
	[CTT_EV_PARK] = "park",
	[CTT_EV_UNPARK] = "unpark",
	[CTT_EV_LOST] = "lost",
	[CTT_EV_SYNC] = "sync",
	[CTT_EV_EXIT] = "exit",
	[CTT_EV_END] = "end",
	[CTT_EV_CUT] = "cut",
	[CTT_EV_SYMBOL] = "symbol",
	[CTT_EV_ATTACH] = "attach",
	[CTT_EV_DEQUEUE] = "dequeue",
	[CTT_EV_DEADLINE] = "deadline",
	[CTT_EV_STOP] = "stop",
	[CTT_EV_START] = "start",
	[CTT_EV_LEG] = "leg",
};
#define WORD(s) { s, sizeof(s) - 1 }
static const struct { const char *name; size_t len;
} on_names[] = {
	[CTT_ON_NONE] = WORD(""),
	[CTT_ON_CORO] = WORD("coro"),
	[CTT_ON_FD] = WORD("fd"),
	[CTT_ON_TIMER] = WORD("timer"),
	[CTT_ON_MUTEX] = WORD("mutex"),
	[CTT_ON_COND] = WORD("cond"),
	[CTT_ON_SEM] = WORD("sem"),
	[CTT_ON_CHAN] = WORD("chan"),
	[CTT_ON_JOIN] = WORD("join"),
	[CTT_ON_USER] = WORD("user"),
	[CTT_ON_SYSCALL] = WORD("syscall"),
	[CTT_ON_SCHED] = WORD("sched"),
	[CTT_ON_NEVER] = WORD("never"),
	[CTT_ON_RUNTIME] = WORD("runtime"),
	[CTT_ON_ROOM] = WORD("room"),
	[CTT_ON_OTHER] = WORD("other"),
};

const char *ctt_ev_name(enum ctt_ev_kind k)
{
	return ev_names[k < CTT_EV_KINDS ? k : CTT_EV_UNKNOWN];
}

const char *ctt_on_name(enum ctt_on_kind k)
{
	return on_names[k <= CTT_ON_OTHER ? k : CTT_ON_OTHER].name;
}

uint64_t ctt_ev_value(const struct ctt_event *ev)
{
	switch (ev->kind) {
	case CTT_EV_META:	return ev->meta.version;
	case CTT_EV_PROCESS:	return ev->process.pid;
	case CTT_EV_MAP:	return ev->map.pid;
	case CTT_EV_THREAD:	return ev->thread.pid;
	case CTT_EV_STACK:	return ev->stack_line.number;
	case CTT_EV_NOTIFY:	return ev->notify.woken;
	case CTT_EV_LEVEL:	return ev->level.value;
	case CTT_EV_PARK:	return ev->park.depth;
	case CTT_EV_UNPARK:	return ev->unpark.depth;
	case CTT_EV_LOST:	return ev->lost.count;
	case CTT_EV_EXIT:	return ev->exit.status;
	case CTT_EV_END:	return ev->end.events;
	case CTT_EV_CUT:	return ev->cut.count;
	default:	return 0;
	}
}

enum ctt_ev_kind ev_parse(const char *p, size_t len)
{
	if (len)
		for (enum ctt_ev_kind k = CTT_EV_CREATE; k < CTT_EV_KINDS; k++)
			if (ev_names[k][0] == *p && strlen(ev_names[k]) == len &&
				!memcmp(ev_names[k], p, len))
				return k;
	return CTT_EV_UNKNOWN;
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

void on_parse(struct ctt_on *on, const char *p, size_t len)
{
	size_t word = 0;

	while (word < len && p[word] != ':')
		word++;
	*on = (struct ctt_on){ .kind = CTT_ON_OTHER, .known = word + 1 < len || (word == len && len), .text = { p, len } };
	if (word == len)
		return;
	for (enum ctt_on_kind k = CTT_ON_CORO; k < CTT_ON_OTHER; k++)
		if (on_names[k].len == word && on_names[k].name[0] == *p &&
			!memcmp(on_names[k].name, p, word)) {
			on->kind = k;
			on->number =
				k != CTT_ON_USER && on_number(p + word + 1, p + len, &on->value);
			return;
		}
}

bool ctt_on_equal(const struct ctt_on *a, const struct ctt_on *b)
{
	if (a->kind == CTT_ON_NONE || a->kind != b->kind || !a->known || !b->known)
		return false;
	if (a->number != b->number)
		return false;
	if (a->number)
		return a->value == b->value;
	return a->text.len == b->text.len && !memcmp(a->text.p, b->text.p, a->text.len);
}

bool ctt_on_is(const struct ctt_on *on, const char *text)
{
	size_t len = strlen(text);

	return on->kind == CTT_ON_USER && on->text.len == len && !memcmp(on->text.p, text, len);
}

uint64_t ctt_on_key(const struct ctt_on *on)
{
	uint64_t h = 0xcbf29ce484222325ull;

	if (on->number)
		return on->value;
	for (size_t i = 0; i < on->text.len; i++)
		h = (h ^ (unsigned char)on->text.p[i]) * 0x100000001b3ull;
	return h;
}

/* How much of it is printed into `size` bytes: whole characters. */
static size_t cut(struct ctt_text text, size_t size)
{
	size_t most = size > TEXT_MOST ? TEXT_MOST : size ? size - 1 : 0;

	return text.len > most ? utf8_cut(text.p, most) : text.len;
}

char *ctt_on_text(char *buf, size_t size, const struct ctt_on *on)
{
	bool address = on->kind == CTT_ON_MUTEX || on->kind == CTT_ON_COND ||
		on->kind == CTT_ON_SEM || on->kind == CTT_ON_CHAN || on->kind == CTT_ON_ROOM;

	char text[64], *p;

	if (on->kind != CTT_ON_NONE && on->known && on->number) {
		p = put_word(put_word(text, ctt_on_name(on->kind)), ":");
		p = address && on->value > 0xffff ? put_hex(p, on->value) :
						    put_number(p, on->value);
		if ((size_t)(p - text) < size)
			*put_text(buf, text, (size_t)(p - text)) = '\0';
		else
			snprintf(buf, size, "%.*s", (int)(p - text), text);
		return buf;
	}
	if (on->kind == CTT_ON_NONE)
		snprintf(buf, size, "%s", "");
	else if (!on->known)
		snprintf(buf, size, "%s:", ctt_on_name(on->kind));
	else
		snprintf(buf, size, "%.*s", (int)cut(on->text, size), on->text.p);
	return buf;
}
