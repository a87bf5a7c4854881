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
	CTT_EV_KINDS
};
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
/* The value of a known object as a number: its number, or a hash of its text. */
uint64_t ctt_on_key(const struct ctt_on *);
/* "fd:42", "chan:0x00007f..", "cond:"; "" for none; cut to size and terminated; returns buf. Not
 * escaped. */
char *ctt_on_text(char *buf, size_t size, const struct ctt_on *);

/* One line. Texts and `raw` are valid until the next ctt_trace_next on the same trace. Absent
 * numbers are 0; `has` says which are there. */
struct ctt_event {
	enum ctt_ev_kind kind;
	uint32_t run;		/* which run of the file, from 0: see ctt_trace_run */
	uint32_t has;		/* HAS_* of optional keys that were there */
	bool v1;		/* no "ev" key: a version 1 writer */
	bool is_active;
	bool done;		/* destroy: true finished, false cancelled */
	bool clone;		/* waker: true clone, false drop */
	bool signaled;		/* exit: value is a signal */
	bool ended;		/* thread, process: it ended */
	/* meta: the program ran already; it is what a box held at one moment */
	bool attached, snapshot;
	/* create: it is older, and first seen here; meta: so are coroutines of this run */
	bool born_before;
	uint64_t probe_id, tid, addr, seq, ts;
	uint64_t n;		/* the coroutine's own event number */
	uint64_t site;		/* number; on CTT_EV_SITE the one defined */
	uint64_t parent, by;	/* probe_ids, 0 = none */
	uint64_t stack;
	uint64_t pid;		/* exit: of which process, 0 = not reported */
	/* notify: woken; level: value; park, unpark: depth; lost, cut: count; exit: status or
	 * signal; end: events; process, map, thread: pid; stack: number; meta: version */
	uint64_t value;
	bool since_before, leaked;	/* state: see ct-trace(5) */
	/* state: wakers and refs, where CTT_HAS_WAKERS and CTT_HAS_REFS; lost: between which times;
	 * map: address range; exit, process: `from` = alive; end: `from` = lost, `to` = live where
	 * CTT_HAS_LIVE */
	uint64_t from, to;
	struct ctt_on on;
	struct ctt_text reason, name;
	/* by kind; see ct-trace(5). stack: `func` is its frames, `file` its sites: lists for
	 * ctt_next_number; symbol: `func` is its "at", for ctt_next_symbol; map: `format` is the
	 * build id; state: `role` is its doubt; end: `func` is its "lines", an object of counts */
	struct ctt_text role, func, file, path, tool, format;
	uint64_t src_line;	/* site: line; map: offset */
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
	CTT_HAS_VALUE = 128,
	CTT_HAS_STACK = 256,
	CTT_HAS_TS = 512,
	CTT_HAS_PROBE = 1024,
	CTT_HAS_SITE = 2048,
	CTT_HAS_LIVE = 4096,
	CTT_HAS_WAKERS = 8192,
	CTT_HAS_REFS = 16384
};

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
