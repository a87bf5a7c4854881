/* event.h - one line of a trace, as ct-trace(5) has it. See cttrace.h. */
#ifndef CTTRACE_EVENT_H
#define CTTRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "ev"; CTT_EV_RESUME and CTT_EV_SUSPEND also stand for version 1 lines, by is_active */
enum ctt_ev_kind {
	/* an "ev" that this version does not know: passes through, judged by nobody */
	CTT_EV_UNKNOWN,
	/* coroutine lines */
	CTT_EV_CREATE,
	CTT_EV_RESUME,
	CTT_EV_SUSPEND,
	CTT_EV_WAKE,
	CTT_EV_DESTROY,
	CTT_EV_STATE,
	CTT_EV_META,
	CTT_EV_PROCESS,
	CTT_EV_MAP,
	CTT_EV_THREAD,
	CTT_EV_SITE,
	CTT_EV_STACK,
	CTT_EV_NAME,
	CTT_EV_OPEN,
	CTT_EV_CLOSE,
	CTT_EV_NOTIFY,
	CTT_EV_LEVEL,
	CTT_EV_ACQUIRE,
	CTT_EV_RELEASE,
	CTT_EV_WAKER,
	CTT_EV_PARK,
	CTT_EV_UNPARK,
	CTT_EV_LOST,
	CTT_EV_SYNC,
	CTT_EV_EXIT,
	CTT_EV_END,
	CTT_EV_CUT, /* a filter left lines out: see ctt_trace_run */
	CTT_EV_SYMBOL, /* what an address is called: ct-sym(1) */
	/* the end of what stands before the events in a trace of a program that ran already */
	CTT_EV_ATTACH,
	CTT_EV_DEQUEUE, /* one that had been woken was taken from a run queue, and is not run */
	CTT_EV_DEADLINE, /* one waits for a timer, and that ends at another time from now on */
	CTT_EV_STOP, /* a process records nothing from here on: what it does is lost, and counted */
	CTT_EV_START, /* and here it does again; the states before it are of all that live */
	CTT_EV_LEG, /* one of several things that the suspend numbered n waits for */
	CTT_EV_KINDS
};
/* Sets of kinds are words of these bits. */
#define CTT_KIND(name) (1ull << CTT_EV_##name)
const char *ctt_ev_name(enum ctt_ev_kind);		/* "create" ... */

enum ctt_on_kind { /* "on": the part before the colon */
	CTT_ON_NONE,
	CTT_ON_CORO,
	CTT_ON_FD,
	CTT_ON_TIMER,
	CTT_ON_MUTEX,
	CTT_ON_COND,
	CTT_ON_SEM,
	CTT_ON_CHAN,
	CTT_ON_JOIN,
	CTT_ON_USER,
	/* of Go: see ct-trace(5); nobody of the program's wakes these */
	CTT_ON_SYSCALL,
	CTT_ON_SCHED,
	CTT_ON_NEVER,
	CTT_ON_RUNTIME,
	CTT_ON_ROOM, /* in the channel of the same value */
	CTT_ON_OTHER /* a kind that this version does not know; compare `text` */
};
const char *ctt_on_name(enum ctt_on_kind);		/* "fd" ... */

/* bytes of the input, unescaped, not terminated; NULL where the key is absent */
struct ctt_text {
	const char *p;
	size_t len;
};

struct ctt_on {			/* what is waited on: "KIND:VALUE", read apart */
	enum ctt_on_kind kind;	/* CTT_ON_NONE: the key is absent */
	/* an object is named; false for "KIND:": two such are never the same object */
	bool known;
	/* value holds it: the rest was a decimal or 0x number (never for user: and other kinds) */
	bool number;
	uint64_t value;
	struct ctt_text text;	/* all of "KIND:VALUE" as it stood */
};
/* The same object? False where either is not known. */
bool ctt_on_equal(const struct ctt_on *, const struct ctt_on *);
/* Does it stand there as this text, as "user:pinned"? Of that kind only. */
bool ctt_on_is(const struct ctt_on *, const char *text);
/* The value of a known object as a number: its number, or a hash of its text. */
uint64_t ctt_on_key(const struct ctt_on *);
/* "fd:42", "chan:0x00007f..", "cond:"; "" for none; cut to size and terminated; returns buf. Not
 * escaped. */
char *ctt_on_text(char *buf, size_t size, const struct ctt_on *);

/* What lines of one kind have of their own, below; `kind` says which of them an event holds, and
 * those of another kind mean nothing. Each begins with its texts, so that even then a text is a
 * text of this line or NULL, and never a number taken for an address. */
struct ctt_ev_create {
	struct ctt_text none_[2];
	bool born_before : 1;	/* it is older, and first seen here */
	bool untraced : 1;	/* a wait of a task that is not traced */
};
struct ctt_ev_state {		/* all but the times: of a snapshot only */
	struct ctt_text doubt, none_;
	uint64_t wakers, refs;	/* where CTT_HAS_WAKERS, CTT_HAS_REFS */
	bool since_before : 1, leaked : 1, closed : 1;
};
struct ctt_ev_meta {
	struct ctt_text tool, format;
	uint64_t version;	/* where CTT_HAS_VALUE */
	/* the program ran already; it is what a box held at one moment; coroutines are older */
	bool attached : 1, snapshot : 1, born_before : 1;
	bool partial : 1;	/* another copy of the probe has the rest */
	bool dead : 1;		/* nobody knows how long it lived after its last event */
	bool torn : 1;		/* it ran while it was looked at: what is seen is not one moment */
};
struct ctt_ev_attach {
	struct ctt_text none_[2];
	uint64_t states;	/* of so many coroutines that lived one stands before it */
};
struct ctt_ev_process {
	struct ctt_text path, none_;
	uint64_t pid;		/* where CTT_HAS_VALUE */
	uint64_t alive;		/* ended: the last time that it was seen to live, 0 = not known */
	bool ended : 1;
	bool untraced : 1;	/* a child: nothing of it is in this trace */
};
struct ctt_ev_map {
	struct ctt_text path, build_id;
	uint64_t pid;		/* where CTT_HAS_VALUE */
	uint64_t start, end, offset;	/* addresses; bytes into the file */
};
struct ctt_ev_thread {
	struct ctt_text role, none_;
	uint64_t pid;		/* where CTT_HAS_VALUE */
	bool ended : 1;
};
struct ctt_ev_site {
	struct ctt_text func, file;
	uint64_t line;		/* in that file, 0 = not known */
};
struct ctt_ev_stack {
	struct ctt_text frames, sites;	/* lists for ctt_next_number; one of them, or neither */
	uint64_t number;	/* where CTT_HAS_VALUE */
};
struct ctt_ev_name {
	struct ctt_text role;
};
struct ctt_ev_notify {
	struct ctt_text none_[2];
	uint64_t woken;		/* coroutines, where CTT_HAS_VALUE */
};
struct ctt_ev_level {
	struct ctt_text none_[2];
	uint64_t value;		/* where CTT_HAS_VALUE */
};
struct ctt_ev_acquire {
	struct ctt_text doubt, none_;	/* of a snapshot: why others may have it, too */
	/* it had it already, as its memory says: whether still, once it has run again, nobody does */
	bool since_before : 1;
};
struct ctt_ev_waker {
	struct ctt_text none_[2];
	bool clone : 1;		/* else drop */
};
struct ctt_ev_park {		/* and unpark */
	struct ctt_text none_[2];
	uint64_t depth;		/* of its run queue, where CTT_HAS_VALUE */
};
struct ctt_ev_lost {
	struct ctt_text none_[2];
	uint64_t count;		/* events, where CTT_HAS_VALUE */
	uint64_t from, to;	/* between these times */
};
struct ctt_ev_exit {
	struct ctt_text none_[2];
	uint64_t status;	/* or the signal, where CTT_HAS_VALUE */
	uint64_t pid;		/* of which process, 0 = not reported */
	uint64_t alive;		/* the last time that it was seen to live, 0 = not known */
	bool signaled : 1;	/* by a signal */
};
struct ctt_ev_end {
	struct ctt_text lines, none_;	/* an object: how many of each kind */
	uint64_t events;	/* where CTT_HAS_VALUE */
	uint64_t lost;
	uint64_t live;		/* where CTT_HAS_LIVE */
	uint64_t alive;		/* if it is stopped: when it was last seen not to be; else 0 */
};
struct ctt_ev_cut {
	struct ctt_text none_[2];
	uint64_t count;		/* lines, where CTT_HAS_VALUE */
	/* by this line and those before it, lines of its run were left out; of ctt_trace_next() */
	bool stands;
};
struct ctt_ev_symbol {
	struct ctt_text path, at;	/* at: a list for ctt_next_symbol */
};

/* One line. Texts and `raw` are valid until the next ctt_trace_next on the same trace. Absent
 * numbers are 0; `has` says which are there. */
struct ctt_event {
	enum ctt_ev_kind kind;
	uint32_t run;		/* which run of the file, from 0: see ctt_trace_run */
	uint32_t has;		/* CTT_HAS_* of optional keys that were there */
	bool v1;		/* no "ev" key: a version 1 writer */
	bool is_active;
	bool done;		/* destroy: true finished, false cancelled */
	bool result;		/* destroy: finished with a result that may own what it had */
	uint64_t probe_id, tid, seq, ts;
	uint64_t addr;		/* the frame; symbol: what it describes */
	uint64_t n;		/* the coroutine's own event number */
	uint64_t site;		/* number; of a site line the one defined */
	uint64_t parent, by;	/* probe_ids, 0 = none */
	uint64_t stack;		/* of a coroutine line: number of its stack line */
	struct ctt_on on;
	/* suspend, state: it waits for any, for all of so many legs; 0: for none or one */
	uint64_t any_of, all_of;
	struct ctt_text reason, name;
	union {			/* by kind; `_line` where a key of other lines has its name */
		struct ctt_ev_create create;
		struct ctt_ev_state state;
		struct ctt_ev_meta meta;
		struct ctt_ev_attach attach;
		struct ctt_ev_process process;
		struct ctt_ev_map map;
		struct ctt_ev_thread thread;
		struct ctt_ev_site site_line;
		struct ctt_ev_stack stack_line;
		struct ctt_ev_name name_line;
		struct ctt_ev_notify notify;
		struct ctt_ev_level level;
		struct ctt_ev_acquire acquire;
		struct ctt_ev_waker waker;
		struct ctt_ev_park park, unpark;
		struct ctt_ev_lost lost;
		struct ctt_ev_exit exit;
		struct ctt_ev_end end;
		struct ctt_ev_cut cut;
		struct ctt_ev_symbol symbol;
	};
	uint64_t line;		/* line number in its file, from 1 */
	const char *raw;	/* the line as read, without its newline; not terminated */
	size_t raw_len;
};
enum {
	CTT_HAS_TID = 1,
	CTT_HAS_ADDR = 2,
	CTT_HAS_SEQ = 4,
	CTT_HAS_N = 8,
	CTT_HAS_PARENT = 16,
	CTT_HAS_BY = 32,
	CTT_HAS_DONE = 64,
	CTT_HAS_VALUE = 128,	/* the number that its kind is about: ctt_ev_value */
	CTT_HAS_STACK = 256,
	CTT_HAS_TS = 512,
	CTT_HAS_PROBE = 1024,
	CTT_HAS_SITE = 2048,
	CTT_HAS_LIVE = 4096,
	CTT_HAS_WAKERS = 8192,
	CTT_HAS_REFS = 16384
};

/* The number that the line's kind is about: woken of a notify, value of a level, depth of a park,
 * count of a lost, and all others that are there where CTT_HAS_VALUE; 0 where it is not. */
uint64_t ctt_ev_value(const struct ctt_event *);
/* The first number or address of a list, into *v; the list then goes on behind it. False: there is
 * none. */
bool ctt_next_number(struct ctt_text *list, uint64_t *v);
/* The first function of a symbol's list; the texts are valid until the scratch is used again, which
 * has room for list->len. */
struct ctt_symbol {
	struct ctt_text func, file;
	uint64_t line;
};
bool ctt_next_symbol(struct ctt_text *list, struct ctt_symbol *, char *scratch);
/* A member of the line that struct ctt_event does not have: its JSON value as it stands; p NULL:
 * not there. */
struct ctt_text ctt_member(const struct ctt_event *, const char *key);

#ifdef __cplusplus
}
#endif
#endif
