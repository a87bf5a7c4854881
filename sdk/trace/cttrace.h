/* cttrace.h - libcttrace: read a corotrace trace, fold it into the state of each coroutine, judge it.
 *
 * Every filter is this loop, and so can yours be:
 *
 *	struct trace *in = trace_open(inputs, "ct-mine");
 *	struct event ev;
 *	while (trace_next(in, &ev))
 *		...
 *	return trace_finish(in, status);
 *
 * No call prints to stdout. One thread a `struct trace`; several traces in several threads are fine. The format read is
 * ct-trace(5). Version 1 lines (six keys, no "ev") and everything ct-record prints are read by a scanner of their
 * canonical form; any other JSON by libjq's parser, with the same result.
 */
#ifndef CTTRACE_H
#define CTTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- events (trace.c) ---- */

enum ev_kind {			/* "ev"; EV_RESUME and EV_SUSPEND also stand for version 1 lines, by is_active */
	EV_UNKNOWN,		/* an "ev" that this version does not know: passes through, judged by nobody */
	EV_CREATE, EV_RESUME, EV_SUSPEND, EV_WAKE, EV_DESTROY, EV_STATE,	/* coroutine lines */
	EV_META, EV_PROCESS, EV_MAP, EV_THREAD, EV_SITE, EV_STACK, EV_NAME, EV_OPEN, EV_CLOSE, EV_NOTIFY, EV_LEVEL,
	EV_ACQUIRE, EV_RELEASE, EV_WAKER, EV_PARK, EV_UNPARK, EV_LOST, EV_SYNC, EV_EXIT, EV_END,
	EV_KINDS
};
const char *ev_name(enum ev_kind);		/* "create" ... */

enum on_kind {			/* "on": the part before the colon */
	ON_NONE, ON_CORO, ON_FD, ON_TIMER, ON_MUTEX, ON_COND, ON_SEM, ON_CHAN, ON_JOIN, ON_USER,
	ON_OTHER		/* a kind that this version does not know; compare `text` */
};
const char *on_name(enum on_kind);		/* "fd" ... */

struct text {			/* bytes of the input, unescaped, not terminated; NULL where the key is absent */
	const char *p;
	size_t len;
};

struct on {			/* what is waited on: "KIND:VALUE", read apart */
	enum on_kind kind;	/* ON_NONE: the key is absent */
	bool known;		/* an object is named; false for "KIND:": two such are never the same object */
	bool number;		/* value holds it: the rest was a decimal or 0x number */
	uint64_t value;
	struct text text;	/* all of "KIND:VALUE" as it stood */
};
/* The same object? False where either is not known. */
bool on_equal(const struct on *, const struct on *);

/* One line. Texts and `raw` are valid until the next trace_next on the same trace. Absent numbers are 0; `has` tells. */
struct event {
	enum ev_kind kind;
	bool v1;		/* no "ev" key: a version 1 writer */
	bool is_active;
	bool done;		/* destroy: true finished, false cancelled */
	bool clone;		/* waker: true clone, false drop */
	uint32_t has;		/* HAS_* of optional keys that were there */
	uint32_t run;		/* which run of the file, from 0: see trace_runs */
	uint64_t line;		/* line number in its file, from 1 */
	uint64_t probe_id, tid, addr, seq, ts;
	uint64_t n;		/* the coroutine's own event number */
	uint64_t site;		/* number; on EV_SITE the one defined */
	uint64_t parent, by;	/* probe_ids, 0 = none */
	uint64_t stack;
	uint64_t value;		/* notify: woken; level: value; park, unpark: depth; lost: count; exit: status or signal;
				 * end: events; process, map, thread: pid; stack: number */
	uint64_t from, to;	/* lost: between which times; map: address range; end: `from` = lost */
	struct on on;
	struct text name, role, func, file, reason, path, tool, format;	/* by kind; see ct-trace(5) */
	uint64_t src_line;	/* site: line */
	bool signaled;		/* exit: value is a signal */
	const char *raw;	/* the line as read, without its newline */
	size_t raw_len;
};
enum {
	HAS_TID = 1, HAS_ADDR = 2, HAS_SEQ = 4, HAS_N = 8, HAS_PARENT = 16, HAS_BY = 32, HAS_DONE = 64, HAS_VALUE = 128,
	HAS_STACK = 256, HAS_TS = 512, HAS_PROBE = 1024, HAS_SITE = 2048
};

/* ---- reading (trace.c, line.c, json.c) ---- */

struct trace;

/* Read the files named, in order, as one trace; NULL or an empty list: stdin; "-" is stdin. `program` prefixes every
 * message. An unreadable file is reported on stderr when its turn comes, and trace_finish returns 2. Never NULL: out of
 * memory ends the program with status 2. */
struct trace *trace_open(char *const *files, const char *program);

enum { TRACE_STRICT = 1, TRACE_QUIET = 2, TRACE_EVERY_BAD_LINE = 4 };
/* TRACE_STRICT: bad lines make trace_finish return 2. TRACE_QUIET: only fatal messages. TRACE_EVERY_BAD_LINE: the first
 * 5 bad lines are told on stderr and the rest only counted, unless this is set. */
void trace_set(struct trace *, unsigned flags);
/* Call for each bad line as well: ct-check's list. `why` is a phrase ("\"ts\" is not a number"), ev holds line and raw. */
void trace_on_bad(struct trace *, void (*)(void *arg, const struct event *ev, const char *why), void *arg);

/* The next good line into *ev; false at the end of input. Bad lines are reported, counted and skipped; blank lines are
 * skipped. Bounded memory: a line over 16 MiB is a bad line. */
bool trace_next(struct trace *, struct event *ev);

struct trace_stats {
	uint64_t lines;		/* all lines, good and bad */
	uint64_t bad;		/* bad lines skipped */
	uint64_t first_bad;	/* line number of the first, 0 = none */
	uint64_t bytes;
	uint64_t slow;		/* lines that took the complete parser */
	bool torn;		/* the input ends without a newline in a line that is not whole */
	uint32_t runs;		/* runs seen so far */
};
const struct trace_stats *trace_stats(const struct trace *);

/* What is known of a run. A `meta` line begins a run. Lines before any meta (version 1 files, several recordings
 * appended to one another and perhaps interleaved) are told apart by their threads: a thread not seen before whose
 * first time lies more than a minute outside a run's times begins another run, and every line goes to its thread's. */
struct trace_run {
	bool v1;		/* no meta line: nothing but version 1 lines expected, and no end line either */
	bool ended;		/* has its `end` line */
	uint64_t first_ts, last_ts;	/* over all lines that carry a time */
	uint64_t lines;
	uint64_t lost;		/* sum of `lost` lines */
	uint64_t bad;		/* bad lines between its lines */
};
const struct trace_run *trace_run(const struct trace *, uint32_t run);

/* Where messages say they are: "trace.jsonl:1042" (stdin: "<stdin>:1042"). Valid until the next call. */
const char *trace_where(const struct trace *, uint64_t line);

/* Close the input, flush and check stdout, free `t`. Returns the exit status: `status`, or 2 where a file could not be
 * read, stdout could not be written, or bad lines were met under TRACE_STRICT, or nothing at all was readable as a trace
 * (not one good line, in input that was not empty... or empty: "no events"). A closed pipe on stdout is no error. */
int trace_finish(struct trace *t, int status);

/* ---- state (model.c): what each coroutine of a run is doing, by the events so far ---- */

enum coro_state {
	CORO_UNSEEN,		/* mentioned (a parent, a waker) but has no line of its own yet */
	CORO_CREATED,		/* never run */
	CORO_RUNNING,
	CORO_SUSPENDED,
	CORO_RUNNABLE,		/* suspended and woken since (or woken before its first run) */
	CORO_ENDED		/* destroyed; forgotten by the model unless model_keep_ended */
};
const char *coro_state_name(enum coro_state);

struct coro {
	uint64_t id;
	enum coro_state state;
	uint64_t since;		/* ts of the event that brought it into `state` */
	uint64_t created;	/* ts; 0 = its create was not seen */
	uint64_t last_ts;	/* of its latest own event */
	uint64_t last_line;	/* line number of that event */
	uint64_t tid;		/* thread of its latest own event */
	uint64_t frame;		/* last nonzero addr */
	uint64_t n, seq;	/* of its latest own event */
	uint64_t events;	/* own events seen */
	uint64_t missing;	/* own events known to be missing, by gaps in n */
	uint32_t site;		/* where it suspended last (or is created, before it ran); index for model_site, 0 = none */
	uint32_t spawn_site;
	uint64_t parent;	/* 0 = none known */
	uint32_t name;		/* for model_text, 0 = none */
	uint32_t reason;	/* for model_text */
	struct on on;		/* of the last suspend; on.text.p is owned by the model */
	uint64_t wake_ts;	/* the last wake of it, 0 = none since it last ran */
	uint64_t wake_by, wake_tid, wake_line;
	struct judge_coro *judge; /* evidence kept by the verdicts (judge.c) */
};

struct site {			/* one source location, as told by a site line; or, for version 1, none */
	uint64_t number;
	const char *func, *file; /* terminated; "" when not known */
	uint64_t line;
};

struct worker {			/* a thread seen in the run */
	uint64_t tid, pid;
	const char *name;	/* "" when not known */
	const char *role;	/* "worker", "blocking", "other", "" */
	bool parked;		/* park seen and no unpark or event since */
	bool parks;		/* has ever parked or unparked: an M:N worker that tells */
	uint64_t parked_since, depth;	/* depth: of the last park or unpark, UINT64_MAX = not told */
	uint64_t running;	/* probe_id it runs, 0 = none */
	uint64_t last_ts;
};

struct model;
struct model *model_new(void);
void model_free(struct model *);
/* Apply one event of one run (the caller keeps a model a run). Never fails: out of memory ends the program. */
void model_apply(struct model *, const struct event *);
struct coro *model_coro(struct model *, uint64_t id);		/* NULL when not live */
/* Live coroutines in order of id; call with *i = 0 first; NULL at the end. */
struct coro *model_next(struct model *, size_t *i);
size_t model_live(const struct model *);
const struct site *model_site(const struct model *, uint32_t site);	/* never NULL */
const char *model_text(const struct model *, uint32_t text);	/* "" for 0 */
struct worker *model_worker(struct model *, uint64_t tid);	/* NULL when never seen */
struct worker *model_next_worker(struct model *, size_t *i);
uint64_t model_first_ts(const struct model *);
uint64_t model_last_ts(const struct model *);	/* T: the latest time any line of the run carries */

/* One model a run, made as runs appear. */
struct models {
	struct model **run;
	uint32_t count;
};
struct model *models_apply(struct models *, const struct event *);	/* returns the event's model */
void models_free(struct models *);

/* "serve serve.cc:42", "site 3" or "?" where no source is known; escaped for a terminal; returns buf. */
char *site_text(char *buf, size_t size, const struct site *);

/* ---- options (options.c): the closed set that means the same everywhere ---- */

/* "250ms", "2s", "1.5s", "100us", "5m", "1h", plain number = ns. False when malformed or out of range. */
bool parse_duration(const char *s, uint64_t *ns);
/* "+1.5s" from the start (sets *relative), or absolute ns. */
bool parse_time(const char *s, uint64_t *ns, bool *relative);
bool parse_number(const char *s, uint64_t min, uint64_t max, uint64_t *v);

/* ---- writing (out.c) ---- */

/* `s` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD; control characters are escaped. */
void out_json(FILE *, const char *s, size_t len);
/* `s` for a terminal: control characters (C0, DEL, C1) and invalid UTF-8 as \xNN; the rest as it is. */
void out_text(FILE *, const char *s, size_t len);
/* 1.234s, 56.7ms, 890us: three significant digits, in `buf` of at least 24 bytes. Returns buf. */
char *out_duration(char *buf, uint64_t ns);
/* Write the trace line of `ev` in canonical form. */
void out_event(FILE *, const struct event *ev);

#ifdef __cplusplus
}
#endif
#endif
