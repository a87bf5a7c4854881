/* model.h - what each coroutine of a run is doing, by the events so far. See cttrace.h. */
#ifndef CTTRACE_MODEL_H
#define CTTRACE_MODEL_H

#include <stdio.h>

#include "event.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ctt_coro_state {
	CTT_CORO_CREATED,		/* never run */
	CTT_CORO_RUNNING,
	CTT_CORO_SUSPENDED,
	CTT_CORO_RUNNABLE,		/* suspended, or never run, and woken since */
	CTT_CORO_ENDED		/* only seen by ctt_model_on_end */
};
const char *ctt_coro_state_name(enum ctt_coro_state);

struct ctt_leg {
	struct ctt_on on;	/* its text is set for texts only */
	uint64_t site, stack;	/* stack: number for ctt_model_stack, 0: none */
};
struct ctt_legs {		/* the several things that it waits for */
	uint64_t n;		/* of that suspend */
	bool all;		/* for all of them; else for any */
	size_t count, room;
	struct ctt_leg leg[];
};
/* A coroutine that has not ended. Lines of a recorder are ordered by `n`; version 1 lines without
 * it by (seq, ts): what is older in both is late and changes nothing, a lower seq at a later time
 * is a new coroutine at an address used before. A wake stands where its ts says, wherever its line
 * stands. */
struct ctt_coro {
	uint64_t id;
	uint64_t last_ts;	/* of its latest own event */
	uint64_t last_line;	/* line number of that event */
	/* n of its latest own event, or its seq in version 1 lines without n */
	uint64_t order;
	uint64_t tid;		/* thread of its latest own event */
	/* where it suspended last (or is created, before it ran); number for ctt_model_site, 0 =
	 * none */
	uint64_t site;
	enum ctt_coro_state state;
	bool v1;		/* a version 1 writer: nothing is known but resumes and suspends */
	bool confirmed;		/* a `state` line said that its latest own event is the last one */
	/* what is known of it is older than a recording that came late: what lies between is no
	 * gap */
	bool before;
	bool has_n;
	bool has_texts;		/* on.text or reason is set */
	bool has_stack;
	/* not a coroutine, but one wait of a task that is not traced: who wakes that, and what else it
	 * waits for, nobody knows. Left out of verdicts. */
	bool untraced;
	bool system;		/* of the runtime itself ("role":"system"): left out of verdicts */
	/* By a state line that a snapshot made, until it runs again: */
	bool since_before : 1;	/* it came into its state at `since` or earlier */
	bool doubted : 1;	/* it may be no live coroutine: no verdict is about it */
	bool leaked : 1;	/* its runtime found that nothing can wake it */
	bool no_wakers : 1;	/* by its runtime's count nothing is left that could wake it */
	bool closed : 1;	/* its process has the descriptor that it waits for no more */
	bool no_refs : 1;	/* nothing in all of the process's memory refers to it */
	/* By one that names what its suspend could not: what befell that thing was not reported. */
	bool named_late : 1;
	uint64_t since;		/* ts of the event that brought it into `state` */
	uint64_t resumed;	/* ts of its last resume; 0 = not seen to run */
	uint64_t resume_line;
	/* its last wake later than its last resume, 0 = none. Before `last_ts` of a suspended one:
	 * it was woken while it still ran */
	uint64_t wake_ts;
	uint64_t wake_line;
	void *evidence;		/* the judge's: struct evidence (judge/evidence.h) */
	/* who follows the coroutines: of spans a struct woken and what their owner keeps with it
	 * (fold/spans.h) */
	void *span;
	uint64_t parent;	/* 0 = none known */
	/* of the last suspend; use ctt_on_text and ctt_on_key: `text` is set for texts only, not
	 * for numbers */
	struct ctt_on on;
	uint64_t frame;		/* last nonzero addr */
	uint64_t wake_by;
	/* of the last suspend, where it was for several things and each is known; else NULL */
	struct ctt_legs *legs;
	struct ctt_legs *next_legs;	/* read ahead of the suspend that they are of */
	uint64_t wake_tid, wake_site;
	uint64_t wake_stack;	/* for ctt_model_stack; 0 = not reported */
	/* what it was woken for, as ctt_on_key; wake_kind CTT_ON_NONE where not reported */
	uint64_t wake_key;
	enum ctt_on_kind wake_kind;
	uint64_t created;	/* ts; 0 = its create was not seen */
	uint64_t stack;		/* where has_stack: of its last suspend, for ctt_model_stack */
	uint64_t first_ts;	/* of its first own event */
	/* Up to here are four cache lines: what most events touch. */
	uint64_t create_line, spawn_site;
	uint64_t missing;	/* own events known to be missing, by gaps in n */
	char *name, *reason;	/* NULL when not reported */
};

struct ctt_site {			/* one source location, as reported by a site line */
	uint64_t number;
	const char *func, *file; /* terminated; "" when not known */
	uint64_t line;
};

struct ctt_stack {			/* as a stack line has it; innermost first */
	uint64_t number;
	const uint64_t *at;	/* numbers for ctt_model_site, or addresses for ctt_model_symbol */
	size_t count;
	bool addresses;
};

enum { CTT_NESTED = 4 };

struct ctt_worker {			/* a thread seen in the run */
	uint64_t tid, pid;	/* pid 0: not reported */
	const char *name;	/* NULL when not known */
	const char *role;	/* "worker", "blocking", "other"; NULL when not reported */
	bool parked;		/* park seen and no unpark or event since */
	bool parks;		/* has ever parked: an M:N worker that declares it */
	uint64_t parked_since;	/* ts of its last park, whether or not it sleeps still; 0 = none */
	uint64_t parked_until;	/* ts of the event that ended that park; 0 = none */
	uint64_t park_line, depth; /* of that park; depth UINT64_MAX = not reported */
	/* length of its queue as its latest park or unpark reported, and when; queue_ts 0 =
	 * never */
	uint64_t queue, queue_ts;
	uint64_t running;	/* probe_id it runs, or that keeps it, 0 = none */
	/* those in which it, or one another, was resumed, and which run on when it has left; the
	 * outermost first */
	uint64_t outer[CTT_NESTED];
	uint32_t outers;
	uint64_t pinned;	/* probe_id that waits, if it does, and keeps it; 0 = none */
	uint64_t last_ts;
	uint64_t ran;		/* ts of its last resume; 0 = none */
	/* ts of its last resume, park, unpark, suspend or end: what a worker does */
	uint64_t last_active;
	uint64_t ended;		/* ts; 0 = no line reported that the thread ended */
};

struct ctt_model;
struct ctt_model *ctt_model_new(void);
void ctt_model_free(struct ctt_model *);
/* Apply one event of one run (the caller keeps a model a run). Returns the live coroutine that the
 * line is about, NULL when there is none (or no longer). Never fails: out of memory ends the
 * program. */
struct ctt_coro *ctt_model_apply(struct ctt_model *, const struct ctt_event *);
/* Call fn for each coroutine that ends, just before it is forgotten; `ev` ended it (its destroy, or
 * the line that showed its address in use again). */
void ctt_model_on_end(struct ctt_model *,
	void (*fn)(void *arg, struct ctt_coro *, const struct ctt_event *ev), void *arg);
struct ctt_coro *ctt_model_coro(const struct ctt_model *, uint64_t id);	/* NULL when not live */
/* Live coroutines in order of id; call with *i = 0 first; NULL at the end. No ctt_model_apply in
 * between. */
struct ctt_coro *ctt_model_next(struct ctt_model *, size_t *i);
size_t ctt_model_live(const struct ctt_model *);
const struct ctt_site *ctt_model_site(const struct ctt_model *, uint64_t site);	/* never NULL */
/* NULL when not reported */
const struct ctt_stack *ctt_model_stack(const struct ctt_model *, uint64_t number);
/* What code at an address is called: the function, and those it was inlined into, innermost first;
 * NULL when not reported. */
const struct ctt_site *ctt_model_symbol(const struct ctt_model *, uint64_t addr, size_t *count);

/* Call fn for each function of a call stack, those inlined too, innermost first. site: NULL where
 * nothing but the address is known. CTT_FRAMES_OWN: not for the scaffold around what somebody wrote
 * (how a thread begins, the standard libraries of C++ and Rust, asio, the inside of tokio and of
 * Java's virtual threads, Go's runtime, the probe), unless there is nothing else. CTT_FRAMES_SHORT:
 * a file in cargo's registry from its crate on; the site is gone when fn returns. */
/* all but the first may be combined */
enum ctt_frames {
	CTT_FRAMES_ALL, CTT_FRAMES_OWN, CTT_FRAMES_OUTERMOST_FIRST, CTT_FRAMES_SHORT = 4
};
typedef void ctt_frame_fn(void *arg, const struct ctt_site *, uint64_t addr);
void ctt_model_frames(const struct ctt_model *, const struct ctt_stack *, enum ctt_frames,
	ctt_frame_fn *, void *arg);
/* NULL when never seen */
struct ctt_worker *ctt_model_worker(const struct ctt_model *, uint64_t tid);
/* in order of first sight */
struct ctt_worker *ctt_model_next_worker(struct ctt_model *, size_t *i);
uint64_t ctt_model_first_ts(const struct ctt_model *);
/* T: the latest time any line of the run carries */
uint64_t ctt_model_last_ts(const struct ctt_model *);
/* Of a run that began when the program ran already: ", attached 3.01s before the end", or how else
 * it came about; of one in which recording stopped: for how long; else "". */
enum { CTT_LATE_SIZE = 96 };
const char *ctt_model_late(const struct ctt_model *, char text[CTT_LATE_SIZE]);
/* Do gaps, `lost` lines or the end line's count say that events are missing? */
uint64_t ctt_model_lost(const struct ctt_model *);
/* Among them: do lines stand out of order, or twice? */
bool ctt_model_astray(const struct ctt_model *);
/* Is the state of every live coroutine known all the same, as the end line says? */
bool ctt_model_exact(const struct ctt_model *);

/* One model a run, made as runs appear. */
struct ctt_models {
	struct ctt_model **run;
	uint32_t count;
	size_t room;
};
struct ctt_model *ctt_models_get(struct ctt_models *, uint32_t run);
/* returns the event's model */
struct ctt_model *ctt_models_apply(struct ctt_models *, const struct ctt_event *);
void ctt_models_free(struct ctt_models *);

/* What it waits on or waited on last: as ctt_on_text, or "any of fd:4, timer:99"; returns buf. */
char *ctt_wait_text(char *buf, size_t size, const struct ctt_coro *);
/* Is it known what for? Of one that runs: no. */
bool ctt_waits(const struct ctt_coro *);
/* Its kind, for who groups: "fd", "any of several"; a number of its own for each. */
const char *ctt_wait_name(const struct ctt_coro *);
unsigned ctt_wait_kind(const struct ctt_coro *);
/* ,"legs":[{"on":"fd:4","site":{...}}], where it is for several things; else nothing. */
void ctt_legs_json(FILE *, const struct ctt_model *, const struct ctt_coro *);
/* {"func":"serve","file":"serve.cc","line":42} or null. */
void ctt_site_json(FILE *, const struct ctt_site *);
/* How long it has been in its state, that being age_ns by `since`: as ctt_out_duration; "?" and "at
 * least 1.2s" where it came into it earlier than anybody looked. Returns buf, of at least 40
 * bytes. */
char *ctt_coro_age(char *buf, const struct ctt_coro *, uint64_t age_ns);
/* 12 "conn 3": the id and, where there is one, the name, escaped for a terminal. */
void ctt_coro_text(FILE *, const struct ctt_coro *);

#ifdef __cplusplus
}
#endif
#endif
