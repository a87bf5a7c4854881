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

enum ev_kind {			/* "ev"; EV_RESUME and EV_SUSPEND also stand for version 1 lines, by is_active */
	EV_UNKNOWN,		/* an "ev" that this version does not know: passes through, judged by nobody */
	EV_CREATE, EV_RESUME, EV_SUSPEND, EV_WAKE, EV_DESTROY, EV_STATE,	/* coroutine lines */
	EV_META, EV_PROCESS, EV_MAP, EV_THREAD, EV_SITE, EV_STACK, EV_NAME, EV_OPEN, EV_CLOSE, EV_NOTIFY, EV_LEVEL,
	EV_ACQUIRE, EV_RELEASE, EV_WAKER, EV_PARK, EV_UNPARK, EV_LOST, EV_SYNC, EV_EXIT, EV_END,
	EV_CUT,			/* a filter left lines out: see trace_run */
	EV_SYMBOL,		/* what an address is called: ct-sym(1) */
	EV_KINDS
};
const char *ev_name(enum ev_kind);		/* "create" ... */

enum on_kind {			/* "on": the part before the colon */
	ON_NONE, ON_CORO, ON_FD, ON_TIMER, ON_MUTEX, ON_COND, ON_SEM, ON_CHAN, ON_JOIN, ON_USER,
	ON_SYSCALL, ON_SCHED, ON_NEVER, ON_RUNTIME,	/* of Go: see ct-trace(5); nobody of the program's wakes these */
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
	bool number;		/* value holds it: the rest was a decimal or 0x number (never for user: and other kinds) */
	uint64_t value;
	struct text text;	/* all of "KIND:VALUE" as it stood */
};
/* The same object? False where either is not known. */
bool on_equal(const struct on *, const struct on *);

/* One line. Texts and `raw` are valid until the next trace_next on the same trace. Absent numbers are 0; `has` tells. */
struct event {
	enum ev_kind kind;
	uint32_t run;		/* which run of the file, from 0: see trace_run */
	uint32_t has;		/* HAS_* of optional keys that were there */
	bool v1;		/* no "ev" key: a version 1 writer */
	bool is_active;
	bool done;		/* destroy: true finished, false cancelled */
	bool clone;		/* waker: true clone, false drop */
	bool signaled;		/* exit: value is a signal */
	bool ended;		/* thread, process: it ended */
	uint64_t probe_id, tid, addr, seq, ts;
	uint64_t n;		/* the coroutine's own event number */
	uint64_t site;		/* number; on EV_SITE the one defined */
	uint64_t parent, by;	/* probe_ids, 0 = none */
	uint64_t stack;
	uint64_t pid;		/* exit: of which process, 0 = not told */
	uint64_t value;		/* notify: woken; level: value; park, unpark: depth; lost, cut: count; exit: status or signal;
				 * end: events; process, map, thread: pid; stack: number; meta: version */
	uint64_t from, to;	/* lost: between which times; map: address range; exit, process: `from` = alive; end: `from` = lost,
				 * `to` = live where HAS_LIVE */
	struct on on;
	struct text reason, name;
	struct text role, func, file, path, tool, format;	/* by kind; see ct-trace(5). stack: `func` is its frames,
				 * `file` its sites, symbol: `func` is its "at": the JSON arrays as they stand; map: `format` is the build id */
	uint64_t src_line;	/* site: line; map: offset */
	uint64_t line;		/* line number in its file, from 1 */
	const char *raw;	/* the line as read, without its newline; not terminated */
	size_t raw_len;
};
enum {
	HAS_TID = 1, HAS_ADDR = 2, HAS_SEQ = 4, HAS_N = 8, HAS_PARENT = 16, HAS_BY = 32, HAS_DONE = 64, HAS_VALUE = 128,
	HAS_STACK = 256, HAS_TS = 512, HAS_PROBE = 1024, HAS_SITE = 2048,
	HAS_LIVE = 4096
};

/* ---- reading (read/trace.c, read/line.c, read/json.c) ---- */

struct trace;

/* Read the files named, in order, as one trace; NULL or an empty list: stdin; "-" is stdin. `program` prefixes every
 * message. An unreadable file is reported on stderr when its turn comes, and trace_finish returns 2. Never NULL: out of
 * memory ends the program with status 2. */
struct trace *trace_open(char *const *files, const char *program);

enum { TRACE_STRICT = 1, TRACE_QUIET = 2, TRACE_EVERY_BAD_LINE = 4, TRACE_STREAMS = 8 };
/* TRACE_STRICT: bad lines make trace_finish return 2. TRACE_QUIET: only fatal messages. TRACE_EVERY_BAD_LINE: the first
 * 5 bad lines are told on stderr and the rest only counted, unless this is set. TRACE_STREAMS: the program writes as it
 * reads. Where stderr is a terminal, reading says from two seconds on how far it has come; not under TRACE_QUIET, nor where
 * it would stand among the lines of a program that streams to a terminal. */
void trace_set(struct trace *, unsigned flags);
/* Call for each bad line as well: ct-check's list. `why` is a phrase ("\"ts\" is not a number"), ev holds line and raw. */
void trace_on_bad(struct trace *, void (*)(void *arg, const struct event *ev, const char *why), void *arg);
/* Call before and after trace_next waits for input (open(2), read(2) of a block): fn must leave errno alone. For programs
 * that look at what was read from another thread: they hold their lock but there. */
void trace_on_wait(struct trace *, void (*fn)(void *arg, bool begins), void *arg);

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
const struct trace_run *trace_run(const struct trace *, uint32_t run);

/* Where messages say they are: "trace.jsonl:1042" (stdin: "<stdin>:1042"). Valid until the next call. */
const char *trace_where(const struct trace *, uint64_t line);

/* Close the input, flush and check stdout, free `t`. Returns the exit status: `status`, or 2 where a file could not be
 * read, stdout could not be written, or bad lines were met under TRACE_STRICT, or nothing at all was readable as a trace
 * (not one good line, in input that was not empty... or empty: "no events"). A closed pipe on stdout is no error. */
int trace_finish(struct trace *t, int status);

/* ---- state (model/model.c): what each coroutine of a run is doing, by the events so far ---- */

enum coro_state {
	CORO_CREATED,		/* never run */
	CORO_RUNNING,
	CORO_SUSPENDED,
	CORO_RUNNABLE,		/* suspended, or never run, and woken since */
	CORO_ENDED		/* only seen by model_on_end */
};
const char *coro_state_name(enum coro_state);

/* A coroutine that has not ended. Lines of a recorder are ordered by `n`; version 1 lines without it by (seq, ts): what
 * is older in both is late and changes nothing, a lower seq at a later time is a new coroutine at an address used before.
 * A wake stands where its ts says, wherever its line stands. */
struct coro {
	uint64_t id;
	uint64_t last_ts;	/* of its latest own event */
	uint64_t last_line;	/* line number of that event */
	uint64_t order;		/* n of its latest own event, or its seq in version 1 lines without n */
	uint64_t tid;		/* thread of its latest own event */
	uint64_t site;		/* where it suspended last (or is created, before it ran); number for model_site, 0 = none */
	enum coro_state state;
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
	struct on on;		/* of the last suspend; use on_text and on_key: `text` is set for texts only, not for numbers */
	uint64_t wake_line, wake_by, wake_tid, wake_site;
	uint64_t wake_stack;	/* for model_stack; 0 = not told */
	uint64_t wake_key;	/* what it was woken for, as on_key; wake_kind ON_NONE where not told */
	enum on_kind wake_kind;
	uint64_t created;	/* ts; 0 = its create was not seen */
	uint64_t first_ts;	/* of its first own event */
	uint64_t create_line, spawn_site;
	uint64_t parent;	/* 0 = none known */
	uint64_t missing;	/* own events known to be missing, by gaps in n */
	char *name, *reason;	/* NULL when not told */
	uint64_t stack;		/* where has_stack: of its last suspend, for model_stack */
	void *evidence;		/* of the verdicts (judge/judge.c) */
};

struct site {			/* one source location, as told by a site line */
	uint64_t number;
	const char *func, *file; /* terminated; "" when not known */
	uint64_t line;
};

struct stack {			/* as a stack line tells; innermost first */
	uint64_t number;
	const uint64_t *at;	/* numbers for model_site, or addresses for model_symbol */
	size_t count;
	bool addresses;
};

struct worker {			/* a thread seen in the run */
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

struct model;
struct model *model_new(void);
void model_free(struct model *);
/* Apply one event of one run (the caller keeps a model a run). Returns the live coroutine that the line is about, NULL
 * when there is none (or no longer). Never fails: out of memory ends the program. */
struct coro *model_apply(struct model *, const struct event *);
/* Call fn for each coroutine that ends, just before it is forgotten; `ev` ended it (its destroy, or the line that showed
 * its address in use again). */
void model_on_end(struct model *, void (*fn)(void *arg, struct coro *, const struct event *ev), void *arg);
struct coro *model_coro(const struct model *, uint64_t id);	/* NULL when not live */
/* Live coroutines in order of id; call with *i = 0 first; NULL at the end. No model_apply in between. */
struct coro *model_next(struct model *, size_t *i);
size_t model_live(const struct model *);
const struct site *model_site(const struct model *, uint64_t site);	/* never NULL */
const struct stack *model_stack(const struct model *, uint64_t number);	/* NULL when not told */
/* What code at an address is called: the function, and those it was inlined into, innermost first; NULL when not told. */
const struct site *model_symbol(const struct model *, uint64_t addr, size_t *count);

/* Call fn for each function of a call stack, those inlined too, innermost first. site: NULL where nothing but the address
 * is known. FRAMES_OWN: not for the scaffold around what somebody wrote (how a thread begins, the standard libraries of C++
 * and Rust, the inside of tokio, Go's runtime, the probe), unless there is nothing else. */
enum frames { FRAMES_ALL, FRAMES_OWN, FRAMES_OUTERMOST_FIRST };	/* the last two may be combined */
typedef void frame_fn(void *arg, const struct site *, uint64_t addr);
void model_frames(const struct model *, const struct stack *, enum frames, frame_fn *, void *arg);
struct worker *model_worker(const struct model *, uint64_t tid);	/* NULL when never seen */
struct worker *model_next_worker(struct model *, size_t *i);		/* in order of first sight */
uint64_t model_first_ts(const struct model *);
uint64_t model_last_ts(const struct model *);	/* T: the latest time any line of the run carries */
/* Do gaps, `lost` lines or the end line's count say that events are missing? */
uint64_t model_lost(const struct model *);
/* Is the state of every live coroutine known all the same, as the end line says? */
bool model_exact(const struct model *);

/* One model a run, made as runs appear. */
struct models {
	struct model **run;
	uint32_t count;
};
struct model *models_get(struct models *, uint32_t run);
struct model *models_apply(struct models *, const struct event *);	/* returns the event's model */
void models_free(struct models *);

/* The value of a known object as a number: its number, or a hash of its text. */
uint64_t on_key(const struct on *);
/* "fd:42", "chan:0x00007f..", "cond:"; "" for none; cut to size and terminated; returns buf. Not escaped. */
char *on_text(char *buf, size_t size, const struct on *);
/* {"func":"serve","file":"serve.cc","line":42} or null. */
void site_json(FILE *, const struct site *);
/* 12 "conn 3": the id and, where there is one, the name, escaped for a terminal. */
void coro_text(FILE *, const struct coro *);

/* ---- findings (judge*.c, judge/findings.c): the verdicts of DESIGN.md, one pass, at the end of a run ---- */

enum verdict {
	V_NONE, V_MISSED_WAKE, V_DROPPED_WAKE, V_ASLEEP_WORKERS, V_CLOSED_RESOURCE, V_READY_RESOURCE, V_DEAD_AWAITEE,
	V_DEAD_OWNER, V_LOST_WAKER, V_DEADLOCK, V_STRAGGLER, V_SILENT
};
const char *verdict_name(enum verdict);		/* "missed-wake" ... */
enum certainty { PROVEN, SUSPECTED, UNKNOWN };
const char *certainty_name(enum certainty);

/* Two events of different threads closer than this may have happened in either order: the clocks cannot tell. */
#define JUDGE_CLOSE_NS 1000
#define JUDGE_GRACE_NS 100000000ull		/* default of --grace */

struct fact {			/* a line of the trace as evidence; line 0 = none */
	uint64_t line, ts, tid;
	uint64_t by;		/* coroutine that did it, 0 = a plain thread */
	uint64_t site;
	const char *what;	/* "closed", "woken", "suspended" ... */
};

enum { FINDING_FACTS = 8 };
struct finding {
	enum verdict verdict;
	enum certainty certainty;
	uint64_t id;		/* stable: of verdict, coroutine, site and run */
	const struct coro *coro;
	uint64_t since, age_ns;	/* when it came into its state; until T */
	struct fact cause;	/* line 0: there is no single one */
	struct fact facts[FINDING_FACTS]; /* the evidence, in order of time; of a deadlock the first edges */
	uint32_t fact_count;
	uint64_t oldest;	/* time of the oldest fact: nothing may be lost from then on */
	uint64_t *cycle;	/* deadlock: its members, each waiting for the next (see knot); else NULL */
	uint32_t cycle_count;
	bool knot;		/* they form no ring: several could wake one of them, and all of those wait as well */
	bool close;		/* cause and suspend are closer than JUDGE_CLOSE_NS on different threads */
	const char *because;	/* a phrase: why the pattern accuses, or what is missing for a proof */
	const char *unknown;	/* a phrase: what could hide the contrary; NULL unless UNKNOWN */
};

struct judge;
struct judge *judge_new(void);
void judge_free(struct judge *);
/* Apply one event of one run: the judge keeps the run's model itself. */
void judge_apply(struct judge *, const struct event *);
/* Lines between these times are missing or could not be read (UINT64_MAX: anything until the end). */
void judge_lost(struct judge *, uint64_t from, uint64_t to);
struct model *judge_model(struct judge *);
/* Judge now, with the run's facts (trace_run). The findings, one a coroutine at most, in order of verdict, certainty,
 * site, cause and coroutine; valid until the next judge_apply, judge_findings or judge_free. May be called again as the
 * run goes on. */
const struct finding *judge_findings(struct judge *, const struct trace_run *, uint64_t grace_ns, size_t *count);
/* Are they told under one heading? Findings come in the order of their groups. */
bool finding_same_group(const struct finding *, const struct finding *);
/* Could anything missing (loss, bad lines, no end) hide or fake a finding in this run? The reason, or NULL. */
const char *judge_doubt(const struct judge *, const struct trace_run *);
/* How many wait on a lock, a channel or the like that the trace does not name, as Go's never do: of these little can be
 * found out. */
size_t judge_unnamed(struct model *);

/* One judge a run, made as runs appear. A bad line is a loss between the good ones around it. Begin with zeros. */
struct judges {
	struct judge **run;
	uint32_t count, last;	/* last: the run of the last good line */
	bool bad;		/* lines since then were bad */
};
struct judge *judges_get(struct judges *, uint32_t run);
void judges_bad(void *judges, const struct event *, const char *why);	/* for trace_on_bad */
struct judge *judges_apply(struct judges *, const struct event *);	/* returns the event's judge */
void judges_end(struct judges *);	/* no more lines come: before anything is judged for good */
void judges_free(struct judges *);

/* The id that a finding is told by: stable from one recording to the next. `run` as below. */
uint64_t finding_id(const struct finding *, uint32_t run);
/* The finding as one JSON line. `run`, from 1, is printed where it is not 0. */
void finding_json(FILE *, struct judge *, const struct finding *, uint32_t run);
/* The finding as words, with its coroutine: "coroutine 12 "conn" waits on fd:17 for 2.01s; closed at +1.2s by thread
 * 4711 (reactor server.cc:98) [lines 40, 55]". No newline. */
void finding_story(FILE *, struct judge *, const struct finding *);

/* "serve serve.cc:42", "site 3" or "?" where no source is known; escaped for a terminal; returns buf. */
char *site_text(char *buf, size_t size, const struct site *);
/* As site_text, by number; "site 9" where no site line told it. */
char *place_text(char *buf, size_t size, const struct model *, uint64_t site);

/* ---- options (tool/options.c): the closed set that means the same everywhere ---- */

/* "250ms", "2s", "1.5s", "100us", "5m", "1h", plain number = ns. False when malformed or out of range. */
bool parse_duration(const char *s, uint64_t *ns);
/* "+1.5s" from the start (sets *relative), or absolute ns. */
bool parse_time(const char *s, uint64_t *ns, bool *relative);
bool parse_number(const char *s, uint64_t min, uint64_t max, uint64_t *v);

struct when {			/* --at, --from, --to */
	bool set, relative;
	uint64_t ns;
};
/* The time in ns, for a run that starts at `start`; never overflows. */
uint64_t when_ns(const struct when *, uint64_t start);

struct common {			/* zero it; set the defaults that are yours (grace); then common_parse */
	unsigned flags;		/* TRACE_STRICT, TRACE_QUIET: for trace_set */
	bool json;
	bool color;		/* resolved: auto = stdout is a terminal and NO_COLOR is not set */
	uint64_t min_age, grace; /* ns */
	regex_t *site, *name;	/* POSIX extended; NULL = not given; live until exit */
	struct when at, from, to;
	regex_t *allow;		/* --allow: places that may wait for ever, live until exit */
	size_t allowed;		/* how many */
};
/* Now: the moment of --at, if the run came so far; else the latest time seen. */
uint64_t common_now(const struct common *, const struct model *, const struct trace_run *);
/* Does it match --name and --site, and has it the age of --min-age? */
bool common_wants(const struct common *, const struct model *, const struct coro *, uint64_t age_ns);
/* As that, of a finding, and it does not wait where --allow says it may. */
bool common_wants_finding(const struct common *, const struct model *, const struct finding *);
/* True when there is no regex, or when it matches somewhere in s. */
bool common_match(const regex_t *, const char *s);

/* A program's option table: those of these that it takes, OPT_ALWAYS, its own (with a letter as value), OPT_END. */
enum { COMMON_JSON = 0x1000, COMMON_MIN_AGE, COMMON_GRACE, COMMON_SITE, COMMON_NAME, COMMON_AT, COMMON_FROM, COMMON_TO,
	COMMON_ALLOW, COMMON_COLOR, COMMON_STRICT, COMMON_QUIET, COMMON_HELP, COMMON_VERSION };
#define OPT_JSON	{ "json", no_argument, NULL, COMMON_JSON }
#define OPT_MIN_AGE	{ "min-age", required_argument, NULL, COMMON_MIN_AGE }
#define OPT_GRACE	{ "grace", required_argument, NULL, COMMON_GRACE }
#define OPT_SITE	{ "site", required_argument, NULL, COMMON_SITE }
#define OPT_NAME	{ "name", required_argument, NULL, COMMON_NAME }
#define OPT_AT		{ "at", required_argument, NULL, COMMON_AT }
#define OPT_FROM	{ "from", required_argument, NULL, COMMON_FROM }
#define OPT_TO		{ "to", required_argument, NULL, COMMON_TO }
#define OPT_ALLOW	{ "allow", required_argument, NULL, COMMON_ALLOW }
#define OPT_COLOR	{ "color", required_argument, NULL, COMMON_COLOR }
#define OPT_ALWAYS	{ "strict", no_argument, NULL, COMMON_STRICT }, { "quiet", no_argument, NULL, COMMON_QUIET }, \
			{ "help", no_argument, NULL, COMMON_HELP }, { "version", no_argument, NULL, COMMON_VERSION }
#define OPT_END		{ NULL, 0, NULL, 0 }

struct program {
	const char *name;		/* "ct-stuck" */
	const char *help;		/* the whole text of --help */
	const struct option *options;
	/* An option of the program's own; false: its argument is no good. NULL where it has none. */
	bool (*option)(int letter, const char *arg);
};
/* Parse the command line: --help and --version print and exit 0; an error is told on stderr and exits 2. Returns the
 * files named, for trace_open. Options may stand after files; "--" ends them. */
char **common_parse(int argc, char *argv[], const struct program *, struct common *);
/* Print `ct-name: what: why` (why may be NULL) and exit with status 2. */
void die(const char *program, const char *what, const char *why) __attribute__((noreturn));

/* ---- writing (base/out.c) ---- */

/* Length of the UTF-8 sequence at s (before end), 0 where it is not one. Texts of events are UTF-8; what was cut to size
 * may end within a sequence. */
size_t utf8_length(const char *s, const char *end);

/* `s` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD; control characters are escaped. */
void out_json(FILE *, const char *s, size_t len);
/* `s` for a terminal: control characters (C0, DEL, C1) and invalid UTF-8 as \xNN; the rest as it is. */
void out_text(FILE *, const char *s, size_t len);
/* 1.23s, 56.7ms, 890us: three significant digits, in `buf` of at least 24 bytes. Returns buf. */
char *out_duration(char *buf, uint64_t ns);
/* Write the trace line of `ev` in canonical form. */
void out_event(FILE *, const struct event *ev);

#ifdef __cplusplus
}
#endif
#endif
