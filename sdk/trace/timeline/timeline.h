/* timeline.h - what ct-toperfetto and ct-tochrome share: a trace as tracks with slices, instants
 * and counters
 * (its files), passed to a writer of one of the viewers' formats as they become known: in no order
 * of time, but those of one track nested, and each inner slice before the one around it. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "base/buf.h"
#include "base/put.h"
#include "fold/spans.h"

/* ---- what a writer is passed ---- */

/* Ids that viewers hold for 32-bit numbers of one machine. Those of the first run are the trace's
 * own where they are small enough; all others are made up, from MADE_UP on, which no system
 * gives. */
enum { MADE_UP = 1 << 30 };

/* Viewers hold times as signed 64 bits, and some read them as doubles: 146 years leave room for
 * that. */
#define TL_LATE (UINT64_C(1) << 62)

struct tl_process {
	struct pair key;	/* its pid, as reported; 0: not reported */
	uint32_t run, shown;
};

struct tl_thread {
	struct pair key;	/* its tid */
	uint32_t run, shown, process;	/* process: its `shown` */
	bool declared;
	uint64_t parked_since;	/* 0: awake */
	uint64_t reached;	/* end of its latest slice */
	struct kept mark;	/* the writer's own */
	struct tl_entry *inmost;	/* of what it is at */
};

/* What a thread is at: a coroutine that runs there, or id 0: parked. */
struct tl_entry {
	struct tl_entry *around, *within;
	uint64_t tid, id, from;
	bool apart;
};

struct tl_site {		/* one that is known, and what the item's texts need of it */
	const struct ctt_site *at;	/* NULL: not known */
	uint64_t number, lines;	/* as it was after so many site lines */
	const struct tl_run *run;
	size_t texts;		/* bytes of its function and file */
	struct kept mark;	/* the writer's own; text NULL: to be made */
};

struct tl_group {		/* coroutines of one process that were spawned at one site */
	struct pair key;	/* site, process */
	uint32_t run, process;
};

struct tl_coro {		/* c->span */
	struct woken woken;	/* tag: the flow that begins at its wake */
	uint64_t flow;		/* that ends where it runs next; 0: none */
	uint64_t reached;	/* end of its latest slice */
	uint64_t begin, end;	/* of all that is known of it */
	struct tl_entry *open;	/* where it was last said to run, if that goes on */
	uint32_t process;
	bool declared;
	bool again;		/* it is reported once more, as it was named */
	uint32_t run;		/* from here: where it was reported */
	const struct ctt_coro *c;
	char *label;		/* what it was called then: "7 conn 3" */
	struct kept mark;	/* the writer's own */
	struct tl_group group;
};

enum tl_key {
	K_CORO,
	K_NAME,
	K_ON,
	K_REASON,
	K_BY,
	K_BY_TID,
	K_TID,
	K_OPEN,
	K_LINE,
	K_VALUE,
	K_TARGET,
	K_COUNT,
	K_FROM,
	K_TO,
	K_CERTAINTY,
	K_STORY,
	K_BECAUSE,
	K_UNKNOWN,
	K_AGE,
	TL_KEYS
};
extern const char *const tl_keys[TL_KEYS];
enum tl_category {
	C_CREATED,
	C_RUNNING,
	C_SUSPENDED,
	C_RUNNABLE,
	C_UNKNOWN,
	C_PARKED,
	C_WAKE,
	C_RESOURCE,
	C_LOST,
	C_FINDING,
	C_QUEUE,
	C_EXIT,
	TL_CATEGORIES
};
extern const char *const tl_categories[TL_CATEGORIES];

struct tl_arg {
	enum tl_key key;
	const char *text;	/* NULL: the number */
	size_t len;
	uint64_t number;
};
enum { TL_ARGS = 16 };

struct tl_item {
	enum { TL_SLICE, TL_INSTANT, TL_COUNTER } shape;
	/* Where: a thread's track, one beside it for what does not nest there, a coroutine's, or
	 * the process's own. */
	enum { AT_THREAD, BESIDE_THREAD, AT_CORO, AT_PROCESS } track;
	uint32_t run;
	const struct tl_thread *thread;
	const struct tl_coro *coro;	/* of AT_CORO, and of what runs beside */
	const struct tl_process *process;
	uint64_t from, to;	/* ns, below TL_LATE; instant, counter: equal */
	enum tl_category category;
	const char *name;
	size_t name_len;
	uint32_t name_id;	/* from 1, the same name for ever; 0: not worth keeping */
	struct tl_site *site;	/* NULL: not known */
	uint64_t flow_out, flow_in;	/* 0: none; unique in the file */
	uint64_t value;		/* of a counter */
	size_t args;		/* the first of tl_args */
};
extern struct tl_arg tl_args[TL_ARGS];	/* of the item that is being made or reported: of one */

size_t tl_texts(const struct tl_item *);	/* bytes of all texts of one */

struct tl_writer {
	/* first of all; the first time; the time of day then, or 0 */
	void (*begin)(uint64_t ts, uint64_t wall);
	/* before its threads; again where its name changes */
	void (*process)(const struct tl_process *, const char *name);
	void (*thread)(struct tl_thread *, const char *name);
	void (*group)(const struct tl_group *, const char *name);
	void (*coro)(struct tl_coro *, const char *name);	/* again where it is named */
	void (*coro_end)(const struct tl_coro *);	/* of one that was reported */
	void (*item)(const struct tl_item *);
};

/* ---- the whole program but the format ---- */

/* Their options, and what the help says of these and of the status. */
extern const struct option timeline_options[];
#define TIMELINE_HELP \
	"  --grace=DUR    as ct-lostwake's (default 100ms)\n" \
	"  --from=TIME    only what was from then on: +1.5s from the start, or ns\n" \
	"  --to=TIME      only what was until then\n" \
	"  --strict       bad lines are status 2\n" \
	"  -o, --output=FILE  write to a file; a terminal is refused\n" \
	"  --quiet        only fatal messages\n" \
	"  --help, --version\n\n" \
	"Status: 0; 2 usage or unusable input; 3 nothing was recorded.\n\n"
struct timeline_program {
	const struct ctt_program *program;
	const struct tl_writer *writer;
	void (*end)(void);	/* last of all */
};
/* The whole of main(): its status. Writers put what they have into tl_out, and call tl_flush now
 * and then. */
int timeline_main(int argc, char *argv[], const struct timeline_program *);
extern struct buf tl_out;
void tl_flush(void);		/* to stdout, where there is enough */

/* ---- between its files ---- */

struct tl_run {
	struct spans spans;
	struct ctt_judges *judges;	/* of all runs */
	uint32_t run;
	struct table processes, threads, groups;
	uint64_t pid;		/* of its first process; 0: not reported */
	uint64_t wake_flow;	/* of the wake line being applied; 0: it begins none */
	uint64_t disordered;	/* stretches that begin before the one before them ends: left out */
};
extern const struct tl_writer *tl_writer;
extern uint64_t tl_from, tl_to;	/* of --from and --to */
extern uint64_t tl_late;	/* items later than viewers can show: left out */

/* events.c: a run begins (zeroed but for its number and the judges), takes its lines, and ends: spans_finish,
 * tl_end, what else is to report, and tl_coro_end for each coroutine that lives on. */
void tl_start(struct tl_run *);
void tl_apply(struct tl_run *, const struct ctt_event *);
void tl_end(struct tl_run *);
void tl_finding(struct tl_run *, struct ctt_judge *, const struct ctt_finding *);
/* An instant on a process's own track. */
void tl_befall(struct tl_run *, uint64_t pid, uint64_t ts, enum tl_category, const char *text);
void tl_coro_end(void *run, struct ctt_coro *, const struct ctt_event *);

/* sites.c: valid until the next call; NULL: not known */
struct tl_site *tl_site_at(struct tl_run *, uint64_t number);
void tl_sites_change(void);		/* a site line came */
void tl_sites_free(void);

/* names.c: names of items, kept once but for coroutines' */
void tl_name_state(
	struct tl_run *, struct tl_item *, enum tl_category state, const struct ctt_coro *);
void tl_name_event(struct tl_item *, enum ctt_ev_kind, enum ctt_on_kind);
void tl_name_verdict(struct tl_item *, enum ctt_verdict);
/* "7 conn 3"; valid until the next call */
void tl_name_coro(struct tl_item *, const struct ctt_coro *);
void tl_names_free(void);

/* tracks.c */

/* Report an item to the writer, as far as it is within tl_from and tl_to; not where `track`'s
 * thread or coroutine was never reported: then that first. */
void tl_emit(struct tl_run *, struct tl_item *);
void tl_add_number(struct tl_item *, enum tl_key, uint64_t);
void tl_add_nonzero(struct tl_item *, enum tl_key, uint64_t);
void tl_add_text(struct tl_item *, enum tl_key, const char *, size_t len);	/* NULL: nothing */
void tl_add_string(struct tl_item *, enum tl_key, const char *);

struct tl_process *tl_process(struct tl_run *, uint64_t pid);
/* A process line came; NULL: without a name. */
void tl_process_named(struct tl_run *, uint64_t pid, const char *name, size_t len);
/* Valid until the next thread is met. */
struct tl_thread *tl_thread(struct tl_run *, uint64_t tid);
void tl_thread_named(struct tl_run *, uint64_t tid);	/* a thread line came */
void tl_coro_named(struct tl_run *, struct ctt_coro *);

/* A thread begins something, and ends it: a coroutine runs there, or, where that is NULL, it is parked.
 * The latter says whether the slice nests with all others of the thread's. */
void tl_open(struct tl_thread *, const struct ctt_coro *, uint64_t from);
bool tl_close(struct tl_thread *, const struct ctt_coro *, uint64_t to);
void tl_threads_free(struct tl_run *);
#endif
