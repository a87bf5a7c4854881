/* cttrace.h - libcttrace: read a corotrace trace, fold it into the state of each coroutine, judge it.
 *
 * Every filter is this loop, and so can yours be:
 *
 *	struct ctt_trace *in = ctt_trace_open(inputs, "ct-mine");
 *	struct ctt_event ev;
 *	while (ctt_trace_next(in, &ev))
 *		...
 *	return ctt_trace_finish(in, status);
 *
 * Every public name begins with ctt_ or CTT_. No call prints to stdout. One thread a `struct ctt_trace`; several traces in several threads are fine. The format read is
 * ct-trace(5). Version 1 lines (six keys, no "ev") and everything ct-record prints are read by a scanner of their
 * canonical form; any other JSON by a complete parser, with the same result.
 */
#ifndef CTTRACE_H
#define CTTRACE_H

#include <getopt.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- events (read/trace.c) ---- */

enum ctt_ev_kind {			/* "ev"; CTT_EV_RESUME and CTT_EV_SUSPEND also stand for version 1 lines, by is_active */
	CTT_EV_UNKNOWN,		/* an "ev" that this version does not know: passes through, judged by nobody */
	CTT_EV_CREATE, CTT_EV_RESUME, CTT_EV_SUSPEND, CTT_EV_WAKE, CTT_EV_DESTROY, CTT_EV_STATE,	/* coroutine lines */
	CTT_EV_META, CTT_EV_PROCESS, CTT_EV_MAP, CTT_EV_THREAD, CTT_EV_SITE, CTT_EV_STACK, CTT_EV_NAME, CTT_EV_OPEN, CTT_EV_CLOSE, CTT_EV_NOTIFY, CTT_EV_LEVEL,
	CTT_EV_ACQUIRE, CTT_EV_RELEASE, CTT_EV_WAKER, CTT_EV_PARK, CTT_EV_UNPARK, CTT_EV_LOST, CTT_EV_SYNC, CTT_EV_EXIT, CTT_EV_END,
	CTT_EV_CUT,			/* a filter left lines out: see ctt_trace_run */
	CTT_EV_SYMBOL,		/* what an address is called: ct-sym(1) */
	CTT_EV_KINDS
};
const char *ctt_ev_name(enum ctt_ev_kind);		/* "create" ... */

enum ctt_on_kind {			/* "on": the part before the colon */
	CTT_ON_NONE, CTT_ON_CORO, CTT_ON_FD, CTT_ON_TIMER, CTT_ON_MUTEX, CTT_ON_COND, CTT_ON_SEM, CTT_ON_CHAN, CTT_ON_JOIN, CTT_ON_USER,
	CTT_ON_SYSCALL, CTT_ON_SCHED, CTT_ON_NEVER, CTT_ON_RUNTIME,	/* of Go: see ct-trace(5); nobody of the program's wakes these */
	CTT_ON_OTHER		/* a kind that this version does not know; compare `text` */
};
const char *ctt_on_name(enum ctt_on_kind);		/* "fd" ... */

struct ctt_text {			/* bytes of the input, unescaped, not terminated; NULL where the key is absent */
	const char *p;
	size_t len;
};

struct ctt_on {			/* what is waited on: "KIND:VALUE", read apart */
	enum ctt_on_kind kind;	/* CTT_ON_NONE: the key is absent */
	bool known;		/* an object is named; false for "KIND:": two such are never the same object */
	bool number;		/* value holds it: the rest was a decimal or 0x number (never for user: and other kinds) */
	uint64_t value;
	struct ctt_text text;	/* all of "KIND:VALUE" as it stood */
};
/* The same object? False where either is not known. */
bool ctt_on_equal(const struct ctt_on *, const struct ctt_on *);

/* One line. Texts and `raw` are valid until the next ctt_trace_next on the same trace. Absent numbers are 0; `has` tells. */
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
	uint64_t probe_id, tid, addr, seq, ts;
	uint64_t n;		/* the coroutine's own event number */
	uint64_t site;		/* number; on CTT_EV_SITE the one defined */
	uint64_t parent, by;	/* probe_ids, 0 = none */
	uint64_t stack;
	uint64_t pid;		/* exit: of which process, 0 = not told */
	uint64_t value;		/* notify: woken; level: value; park, unpark: depth; lost, cut: count; exit: status or signal;
				 * end: events; process, map, thread: pid; stack: number; meta: version */
	uint64_t from, to;	/* lost: between which times; map: address range; exit, process: `from` = alive; end: `from` = lost,
				 * `to` = live where CTT_HAS_LIVE */
	struct ctt_on on;
	struct ctt_text reason, name;
	struct ctt_text role, func, file, path, tool, format;	/* by kind; see ct-trace(5). stack: `func` is its frames,
				 * `file` its sites, symbol: `func` is its "at": the JSON arrays as they stand; map: `format` is the build id */
	uint64_t src_line;	/* site: line; map: offset */
	uint64_t line;		/* line number in its file, from 1 */
	const char *raw;	/* the line as read, without its newline; not terminated */
	size_t raw_len;
};
enum {
	CTT_HAS_TID = 1, CTT_HAS_ADDR = 2, CTT_HAS_SEQ = 4, CTT_HAS_N = 8, CTT_HAS_PARENT = 16, CTT_HAS_BY = 32, CTT_HAS_DONE = 64, CTT_HAS_VALUE = 128,
	CTT_HAS_STACK = 256, CTT_HAS_TS = 512, CTT_HAS_PROBE = 1024, CTT_HAS_SITE = 2048,
	CTT_HAS_LIVE = 4096
};

/* ---- reading (read/trace.c, read/line.c, read/json.c) ---- */

struct ctt_trace;

/* Read the files named, in order, as one trace; NULL or an empty list: stdin; "-" is stdin. `program` prefixes every
 * message. An unreadable file is reported on stderr when its turn comes, and ctt_trace_finish returns 2. Never NULL: out of
 * memory ends the program with status 2. */
struct ctt_trace *ctt_trace_open(char *const *files, const char *program);

enum { CTT_TRACE_STRICT = 1, CTT_TRACE_QUIET = 2, CTT_TRACE_EVERY_BAD_LINE = 4, CTT_TRACE_STREAMS = 8 };
/* CTT_TRACE_STRICT: bad lines make ctt_trace_finish return 2. CTT_TRACE_QUIET: only fatal messages. CTT_TRACE_EVERY_BAD_LINE: the first
 * 5 bad lines are told on stderr and the rest only counted, unless this is set. CTT_TRACE_STREAMS: the program writes as it
 * reads. Where stderr is a terminal, reading says from two seconds on how far it has come; not under CTT_TRACE_QUIET, nor where
 * it would stand among the lines of a program that streams to a terminal. */
void ctt_trace_set(struct ctt_trace *, unsigned flags);
/* Call for each bad line as well: ct-check's list. `why` is a phrase ("\"ts\" is not a number"), ev holds line and raw. */
void ctt_trace_on_bad(struct ctt_trace *, void (*)(void *arg, const struct ctt_event *ev, const char *why), void *arg);
/* Call before and after ctt_trace_next waits for input (open(2), read(2) of a block): fn must leave errno alone. For programs
 * that look at what was read from another thread: they hold their lock but there. */
void ctt_trace_on_wait(struct ctt_trace *, void (*fn)(void *arg, bool begins), void *arg);

/* The next good line into *ev; false at the end of input. Bad lines are reported, counted and skipped; blank lines are
 * skipped. Bounded memory: a line over 16 MiB is a bad line. */
bool ctt_trace_next(struct ctt_trace *, struct ctt_event *ev);

struct ctt_trace_stats {
	uint64_t lines;		/* all lines, good and bad */
	uint64_t bad;		/* bad lines skipped */
	uint64_t first_bad;	/* line number of the first, 0 = none */
	uint64_t bytes;
	uint64_t slow;		/* lines that took the complete parser */
	bool torn;		/* the input ends without a newline in a line that is not whole */
	uint32_t runs;		/* runs seen so far */
};
const struct ctt_trace_stats *ctt_trace_stats(const struct ctt_trace *);

/* What is known of a run. A `meta` line begins a run. Lines before any meta (version 1 files, several recordings
 * appended to one another and perhaps interleaved) are told apart by their threads: a thread not seen before whose
 * first time lies more than a minute outside a run's times begins another run, and every line goes to its thread's. */
struct ctt_trace_run {
	bool v1;		/* no meta line and no "ev": version 1 lines only, for which there is no end line either */
	bool meta;		/* has its `meta` line */
	bool ended;		/* has its `end` line */
	uint64_t first_ts, last_ts;	/* over all lines that carry a time */
	uint64_t lines;
	uint64_t lost;		/* sum of `lost` lines */
	uint64_t bad;		/* bad lines between its lines */
	uint32_t cut;		/* filters that left lines of it out, by their `cut` lines: what is not there is no
				 * loss, and proves nothing */
};
const struct ctt_trace_run *ctt_trace_run(const struct ctt_trace *, uint32_t run);

/* Where messages say they are: "trace.jsonl:1042" (stdin: "<stdin>:1042"). Valid until the next call. */
const char *ctt_trace_where(const struct ctt_trace *, uint64_t line);

/* Close the input, flush and check stdout, free `t`. Returns the exit status: `status`, or 2 where a file could not be
 * read, stdout could not be written, or bad lines were met under CTT_TRACE_STRICT, or nothing at all was readable as a trace
 * (not one good line, in input that was not empty... or empty: "no events"). A closed pipe on stdout is no error. */
int ctt_trace_finish(struct ctt_trace *t, int status);

/* ---- state (model/model.c): what each coroutine of a run is doing, by the events so far ---- */

enum ctt_coro_state {
	CTT_CORO_CREATED,		/* never run */
	CTT_CORO_RUNNING,
	CTT_CORO_SUSPENDED,
	CTT_CORO_RUNNABLE,		/* suspended, or never run, and woken since */
	CTT_CORO_ENDED		/* only seen by ctt_model_on_end */
};
const char *ctt_coro_state_name(enum ctt_coro_state);

/* A coroutine that has not ended. Lines of a recorder are ordered by `n`; version 1 lines without it by (seq, ts): what
 * is older in both is late and changes nothing, a lower seq at a later time is a new coroutine at an address used before.
 * A wake stands where its ts says, wherever its line stands. */
struct ctt_coro {
	uint64_t id;
	uint64_t last_ts;	/* of its latest own event */
	uint64_t last_line;	/* line number of that event */
	uint64_t order;		/* n of its latest own event, or its seq in version 1 lines without n */
	uint64_t tid;		/* thread of its latest own event */
	uint64_t site;		/* where it suspended last (or is created, before it ran); number for ctt_model_site, 0 = none */
	enum ctt_coro_state state;
	bool v1;		/* a version 1 writer: nothing is known but resumes and suspends */
	bool confirmed;		/* a `state` line said that its latest own event is the last one */
	bool has_n;
	bool has_texts;		/* on.text or reason is set */
	bool has_stack;
	bool system;		/* of the runtime itself ("role":"system"): left out of verdicts */
	uint64_t since;		/* ts of the event that brought it into `state` */
	/* These two cache lines are what most events touch. */
	uint64_t resumed;	/* ts of its last resume; 0 = not seen to run */
	uint64_t resume_line;
	uint64_t wake_ts;	/* its last wake later than its last resume, 0 = none. Before `last_ts` of a suspended one:
				 * it was woken while it still ran */
	uint64_t frame;		/* last nonzero addr */
	struct ctt_on on;		/* of the last suspend; use ctt_on_text and ctt_on_key: `text` is set for texts only, not for numbers */
	uint64_t wake_line, wake_by, wake_tid, wake_site;
	uint64_t wake_stack;	/* for ctt_model_stack; 0 = not told */
	uint64_t wake_key;	/* what it was woken for, as ctt_on_key; wake_kind CTT_ON_NONE where not told */
	enum ctt_on_kind wake_kind;
	uint64_t created;	/* ts; 0 = its create was not seen */
	uint64_t first_ts;	/* of its first own event */
	uint64_t create_line, spawn_site;
	uint64_t parent;	/* 0 = none known */
	uint64_t missing;	/* own events known to be missing, by gaps in n */
	char *name, *reason;	/* NULL when not told */
	uint64_t stack;		/* where has_stack: of its last suspend, for ctt_model_stack */
	void *evidence;		/* of the verdicts (judge/judge.c) */
};

struct ctt_site {			/* one source location, as told by a site line */
	uint64_t number;
	const char *func, *file; /* terminated; "" when not known */
	uint64_t line;
};

struct ctt_stack {			/* as a stack line tells; innermost first */
	uint64_t number;
	const uint64_t *at;	/* numbers for ctt_model_site, or addresses for ctt_model_symbol */
	size_t count;
	bool addresses;
};

struct ctt_worker {			/* a thread seen in the run */
	uint64_t tid, pid;	/* pid 0: not told */
	const char *name;	/* NULL when not known */
	const char *role;	/* "worker", "blocking", "other"; NULL when not told */
	bool parked;		/* park seen and no unpark or event since */
	bool parks;		/* has ever parked: an M:N worker that tells */
	uint64_t parked_since;	/* ts of its last park, whether or not it sleeps still; 0 = none */
	uint64_t parked_until;	/* ts of the event that ended that park; 0 = none */
	uint64_t park_line, depth; /* of that park; depth UINT64_MAX = not told */
	uint64_t queue, queue_ts; /* length of its queue as its latest park or unpark told, and when; queue_ts 0 = never */
	uint64_t running;	/* probe_id it runs, 0 = none */
	uint64_t last_ts;
	bool runs;		/* has resumed a coroutine */
	uint64_t stirred;	/* ts of its last resume, park, unpark, suspend or end: what a worker does */
	uint64_t ended;		/* ts; 0 = no line told that the thread ended */
};

struct ctt_model;
struct ctt_model *ctt_model_new(void);
void ctt_model_free(struct ctt_model *);
/* Apply one event of one run (the caller keeps a model a run). Returns the live coroutine that the line is about, NULL
 * when there is none (or no longer). Never fails: out of memory ends the program. */
struct ctt_coro *ctt_model_apply(struct ctt_model *, const struct ctt_event *);
/* Call fn for each coroutine that ends, just before it is forgotten; `ev` ended it (its destroy, or the line that showed
 * its address in use again). */
void ctt_model_on_end(struct ctt_model *, void (*fn)(void *arg, struct ctt_coro *, const struct ctt_event *ev), void *arg);
struct ctt_coro *ctt_model_coro(const struct ctt_model *, uint64_t id);	/* NULL when not live */
/* Live coroutines in order of id; call with *i = 0 first; NULL at the end. No ctt_model_apply in between. */
struct ctt_coro *ctt_model_next(struct ctt_model *, size_t *i);
size_t ctt_model_live(const struct ctt_model *);
const struct ctt_site *ctt_model_site(const struct ctt_model *, uint64_t site);	/* never NULL */
const struct ctt_stack *ctt_model_stack(const struct ctt_model *, uint64_t number);	/* NULL when not told */
/* What code at an address is called: the function, and those it was inlined into, innermost first; NULL when not told. */
const struct ctt_site *ctt_model_symbol(const struct ctt_model *, uint64_t addr, size_t *count);

/* Call fn for each function of a call stack, those inlined too, innermost first. site: NULL where nothing but the address
 * is known. CTT_FRAMES_OWN: not for the scaffold around what somebody wrote (how a thread begins, the standard libraries of C++
 * and Rust, the inside of tokio, Go's runtime, the probe), unless there is nothing else. */
enum ctt_frames { CTT_FRAMES_ALL, CTT_FRAMES_OWN, CTT_FRAMES_OUTERMOST_FIRST };	/* the last two may be combined */
typedef void ctt_frame_fn(void *arg, const struct ctt_site *, uint64_t addr);
void ctt_model_frames(const struct ctt_model *, const struct ctt_stack *, enum ctt_frames, ctt_frame_fn *, void *arg);
struct ctt_worker *ctt_model_worker(const struct ctt_model *, uint64_t tid);	/* NULL when never seen */
struct ctt_worker *ctt_model_next_worker(struct ctt_model *, size_t *i);		/* in order of first sight */
uint64_t ctt_model_first_ts(const struct ctt_model *);
uint64_t ctt_model_last_ts(const struct ctt_model *);	/* T: the latest time any line of the run carries */
/* Do gaps, `lost` lines or the end line's count say that events are missing? */
uint64_t ctt_model_lost(const struct ctt_model *);
/* Is the state of every live coroutine known all the same, as the end line says? */
bool ctt_model_exact(const struct ctt_model *);

/* One model a run, made as runs appear. */
struct ctt_models {
	struct ctt_model **run;
	uint32_t count;
};
struct ctt_model *ctt_models_get(struct ctt_models *, uint32_t run);
struct ctt_model *ctt_models_apply(struct ctt_models *, const struct ctt_event *);	/* returns the event's model */
void ctt_models_free(struct ctt_models *);

/* The value of a known object as a number: its number, or a hash of its text. */
uint64_t ctt_on_key(const struct ctt_on *);
/* "fd:42", "chan:0x00007f..", "cond:"; "" for none; cut to size and terminated; returns buf. Not escaped. */
char *ctt_on_text(char *buf, size_t size, const struct ctt_on *);
/* {"func":"serve","file":"serve.cc","line":42} or null. */
void ctt_site_json(FILE *, const struct ctt_site *);
/* 12 "conn 3": the id and, where there is one, the name, escaped for a terminal. */
void ctt_coro_text(FILE *, const struct ctt_coro *);

/* ---- findings (judge*.c, judge/findings.c): the verdicts of DESIGN.md, one pass, at the end of a run ---- */

enum ctt_verdict {
	CTT_V_NONE, CTT_V_MISSED_WAKE, CTT_V_DROPPED_WAKE, CTT_V_ASLEEP_WORKERS, CTT_V_CLOSED_RESOURCE, CTT_V_READY_RESOURCE, CTT_V_DEAD_AWAITEE,
	CTT_V_DEAD_OWNER, CTT_V_LOST_WAKER, CTT_V_DEADLOCK, CTT_V_STRAGGLER, CTT_V_SILENT
};
const char *ctt_verdict_name(enum ctt_verdict);		/* "missed-wake" ... */
enum ctt_certainty { CTT_PROVEN, CTT_SUSPECTED, CTT_UNKNOWN };
const char *ctt_certainty_name(enum ctt_certainty);

/* Two events of different threads closer than this may have happened in either order: the clocks cannot tell. */
#define CTT_JUDGE_CLOSE_NS 1000
#define CTT_JUDGE_GRACE_NS 100000000ull		/* default of --grace */

struct ctt_fact {			/* a line of the trace as evidence; line 0 = none */
	uint64_t line, ts, tid;
	uint64_t by;		/* coroutine that did it, 0 = a plain thread */
	uint64_t site;
	const char *what;	/* "closed", "woken", "suspended" ... */
};

enum { CTT_FINDING_FACTS = 8 };
struct ctt_finding {
	enum ctt_verdict verdict;
	enum ctt_certainty certainty;
	uint64_t id;		/* stable: of verdict, coroutine, site and run */
	const struct ctt_coro *coro;
	uint64_t since, age_ns;	/* when it came into its state; until T */
	struct ctt_fact cause;	/* line 0: there is no single one */
	struct ctt_fact facts[CTT_FINDING_FACTS]; /* the evidence, in order of time; of a deadlock the first edges */
	uint32_t fact_count;
	uint64_t oldest;	/* time of the oldest fact: nothing may be lost from then on */
	uint64_t *cycle;	/* deadlock: its members, each waiting for the next (see knot); else NULL */
	uint32_t cycle_count;
	bool knot;		/* they form no ring: several could wake one of them, and all of those wait as well */
	bool close;		/* cause and suspend are closer than CTT_JUDGE_CLOSE_NS on different threads */
	const char *because;	/* a phrase: why the pattern accuses, or what is missing for a proof */
	const char *unknown;	/* a phrase: what could hide the contrary; NULL unless CTT_UNKNOWN */
};

struct ctt_judge;
struct ctt_judge *ctt_judge_new(void);
void ctt_judge_free(struct ctt_judge *);
/* Apply one event of one run: the judge keeps the run's model itself. */
void ctt_judge_apply(struct ctt_judge *, const struct ctt_event *);
/* Lines between these times are missing or could not be read (UINT64_MAX: anything until the end). */
void ctt_judge_lost(struct ctt_judge *, uint64_t from, uint64_t to);
struct ctt_model *ctt_judge_model(struct ctt_judge *);
/* Judge now, with the run's facts (ctt_trace_run). The findings, one a coroutine at most, in order of verdict, certainty,
 * site, cause and coroutine; valid until the next ctt_judge_apply, ctt_judge_findings or ctt_judge_free. May be called again as the
 * run goes on. */
const struct ctt_finding *ctt_judge_findings(struct ctt_judge *, const struct ctt_trace_run *, uint64_t grace_ns, size_t *count);
/* Are they told under one heading? Findings come in the order of their groups. */
bool ctt_finding_same_group(const struct ctt_finding *, const struct ctt_finding *);
/* Could anything missing (loss, bad lines, no end) hide or fake a finding in this run? The reason, or NULL. */
const char *ctt_judge_doubt(const struct ctt_judge *, const struct ctt_trace_run *);
/* How many wait on a lock, a channel or the like that the trace does not name, as Go's never do: of these little can be
 * found out. */
size_t ctt_judge_unnamed(struct ctt_model *);

/* One judge a run, made as runs appear. A bad line is a loss between the good ones around it. Begin with zeros. */
struct ctt_judges {
	struct ctt_judge **run;
	uint32_t count, last;	/* last: the run of the last good line */
	bool bad;		/* lines since then were bad */
};
struct ctt_judge *ctt_judges_get(struct ctt_judges *, uint32_t run);
void ctt_judges_bad(void *judges, const struct ctt_event *, const char *why);	/* for ctt_trace_on_bad */
struct ctt_judge *ctt_judges_apply(struct ctt_judges *, const struct ctt_event *);	/* returns the event's judge */
void ctt_judges_end(struct ctt_judges *);	/* no more lines come: before anything is judged for good */
void ctt_judges_free(struct ctt_judges *);

/* The id that a finding is told by: stable from one recording to the next. `run` as below. */
uint64_t ctt_finding_id(const struct ctt_finding *, uint32_t run);
/* The finding as one JSON line. `run`, from 1, is printed where it is not 0. */
void ctt_finding_json(FILE *, struct ctt_judge *, const struct ctt_finding *, uint32_t run);
/* The finding as words, with its coroutine: "coroutine 12 "conn" waits on fd:17 for 2.01s; closed at +1.2s by thread
 * 4711 (reactor server.cc:98) [lines 40, 55]". No newline. */
void ctt_finding_story(FILE *, struct ctt_judge *, const struct ctt_finding *);

/* "serve serve.cc:42", "site 3" or "?" where no source is known; escaped for a terminal; returns buf. */
char *ctt_site_text(char *buf, size_t size, const struct ctt_site *);
/* As ctt_site_text, by number; "site 9" where no site line told it. */
char *ctt_model_site_text(char *buf, size_t size, const struct ctt_model *, uint64_t site);

/* ---- options (tool/options.c): the closed set that means the same everywhere ---- */

/* "250ms", "2s", "1.5s", "100us", "5m", "1h", plain number = ns. False when malformed or out of range. */
bool ctt_parse_duration(const char *s, uint64_t *ns);
/* "+1.5s" from the start (sets *relative), or absolute ns. */
bool ctt_parse_time(const char *s, uint64_t *ns, bool *relative);
bool ctt_parse_number(const char *s, uint64_t min, uint64_t max, uint64_t *v);

struct ctt_when {			/* --at, --from, --to */
	bool set, relative;
	uint64_t ns;
};
/* The time in ns, for a run that starts at `start`; never overflows. */
uint64_t ctt_when_ns(const struct ctt_when *, uint64_t start);

struct ctt_common {			/* zero it; set the defaults that are yours (grace); then ctt_common_parse */
	unsigned flags;		/* CTT_TRACE_STRICT, CTT_TRACE_QUIET: for ctt_trace_set */
	bool json;
	bool color;		/* resolved: auto = stdout is a terminal and NO_COLOR is not set */
	uint64_t min_age, grace; /* ns */
	regex_t *site, *name;	/* POSIX extended; NULL = not given; live until exit */
	struct ctt_when at, from, to;
	regex_t *allow;		/* --allow: places that may wait for ever, live until exit */
	size_t allowed;		/* how many */
};
/* Now: the moment of --at, if the run came so far; else the latest time seen. */
uint64_t ctt_common_now(const struct ctt_common *, const struct ctt_model *, const struct ctt_trace_run *);
/* Does it match --name and --site, and has it the age of --min-age? */
bool ctt_common_wants(const struct ctt_common *, const struct ctt_model *, const struct ctt_coro *, uint64_t age_ns);
/* As that, of a finding, and it does not wait where --allow says it may. */
bool ctt_common_wants_finding(const struct ctt_common *, const struct ctt_model *, const struct ctt_finding *);
/* True when there is no regex, or when it matches somewhere in s. */
bool ctt_common_match(const regex_t *, const char *s);

/* A program's option table: those of these that it takes, CTT_OPT_ALWAYS, its own (with a letter as value), CTT_OPT_END. */
enum { CTT_COMMON_JSON = 0x1000, CTT_COMMON_MIN_AGE, CTT_COMMON_GRACE, CTT_COMMON_SITE, CTT_COMMON_NAME, CTT_COMMON_AT, CTT_COMMON_FROM, CTT_COMMON_TO,
	CTT_COMMON_ALLOW, CTT_COMMON_COLOR, CTT_COMMON_STRICT, CTT_COMMON_QUIET, CTT_COMMON_HELP, CTT_COMMON_VERSION };
#define CTT_OPT_JSON	{ "json", no_argument, NULL, CTT_COMMON_JSON }
#define CTT_OPT_MIN_AGE	{ "min-age", required_argument, NULL, CTT_COMMON_MIN_AGE }
#define CTT_OPT_GRACE	{ "grace", required_argument, NULL, CTT_COMMON_GRACE }
#define CTT_OPT_SITE	{ "site", required_argument, NULL, CTT_COMMON_SITE }
#define CTT_OPT_NAME	{ "name", required_argument, NULL, CTT_COMMON_NAME }
#define CTT_OPT_AT		{ "at", required_argument, NULL, CTT_COMMON_AT }
#define CTT_OPT_FROM	{ "from", required_argument, NULL, CTT_COMMON_FROM }
#define CTT_OPT_TO		{ "to", required_argument, NULL, CTT_COMMON_TO }
#define CTT_OPT_ALLOW	{ "allow", required_argument, NULL, CTT_COMMON_ALLOW }
#define CTT_OPT_COLOR	{ "color", required_argument, NULL, CTT_COMMON_COLOR }
#define CTT_OPT_ALWAYS	{ "strict", no_argument, NULL, CTT_COMMON_STRICT }, { "quiet", no_argument, NULL, CTT_COMMON_QUIET }, \
			{ "help", no_argument, NULL, CTT_COMMON_HELP }, { "version", no_argument, NULL, CTT_COMMON_VERSION }
#define CTT_OPT_END		{ NULL, 0, NULL, 0 }

struct ctt_program {
	const char *name;		/* "ct-stuck" */
	const char *help;		/* the whole text of --help */
	const struct option *options;
	/* An option of the program's own; false: its argument is no good. NULL where it has none. */
	bool (*option)(int letter, const char *arg);
};
/* Parse the command line: --help and --version print and exit 0; an error is told on stderr and exits 2. Returns the
 * files named, for ctt_trace_open. Options may stand after files; "--" ends them. */
char **ctt_common_parse(int argc, char *argv[], const struct ctt_program *, struct ctt_common *);
/* Print `ct-name: what: why` (why may be NULL) and exit with status 2. */
void ctt_die(const char *program, const char *what, const char *why) __attribute__((noreturn));

/* ---- writing (base/out.c) ---- */

/* Length of the UTF-8 sequence at s (before end), 0 where it is not one. Texts of events are UTF-8; what was cut to size
 * may end within a sequence. */
size_t ctt_utf8_length(const char *s, const char *end);

/* `s` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD; control characters are escaped. */
void ctt_out_json(FILE *, const char *s, size_t len);
/* `s` for a terminal: control characters (C0, DEL, C1) and invalid UTF-8 as \xNN; the rest as it is. */
void ctt_out_text(FILE *, const char *s, size_t len);
/* 1.23s, 56.7ms, 890us: three significant digits, in `buf` of at least 24 bytes. Returns buf. */
char *ctt_out_duration(char *buf, uint64_t ns);
/* Write the trace line of `ev` in canonical form. */
void ctt_out_event(FILE *, const struct ctt_event *ev);

#ifdef __cplusplus
}
#endif
#endif
