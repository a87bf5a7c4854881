/* judge.h - the evidence that the verdicts keep of each coroutine, object and place. Inside the
 * library only. */
#ifndef JUDGE_H
#define JUDGE_H

#include "model/state.h"

struct evidence;
struct object;

struct hold {				/* that somebody has a lock, or a permit */
	struct hold *next, **prev;	/* of the same object, the latest first */
	/* of the same coroutine; prev_held NULL: of none that lives */
	struct hold *next_held, **prev_held;
	struct object *object;
	uint64_t by, tid;		/* coroutine; 0: the plain thread */
	uint64_t times;			/* taken and not given back */
	/* from a coroutine that ended with it, by the one that awaited it */
	bool inherited;
	/* its holder sent something on a channel since; and woke several for it */
	bool sent, sent_often;
	uint64_t sent_to;		/* whom it woke for that, 0 = nobody */
	bool finished;			/* its holder ended by itself, not cancelled */
	/* ended.line: the last holder did so and did not release it */
	struct ctt_fact acquired, ended;
	/* that holder: who awaited it came later, and may be its heir */
	struct ctt_fact created;
};

/* of the search for deadlocks: a coroutine or what it waits on */
struct vertex {
	/* 0: not met yet; low: of whom it reaches. Afterwards the number of its cycle */
	uint32_t index, low;
	bool stacked, is_object;
	struct vertex *from, *below;	/* who led there; the next on the stack of those met */
	struct hold *edge;		/* of an object: the next holder to look at */
};

/* What coroutines wait on, are woken for, close and lock. Numbers and addresses name a thing within
 * one process. */
struct object {
	struct object *next;		/* of its hash chain */
	uint64_t key, pid;
	enum ctt_on_kind kind;
	struct evidence *waiters;	/* whose last suspend was on it, woken since or not */
	struct ctt_fact closed;
	struct ctt_fact level_told;		/* last `level` line, 0 = none */
	uint64_t level, levels;		/* value; how many such lines */
	bool fresh;			/* nothing reported of it can have been forgotten */
	bool level_falls;		/* has been seen to: so what is taken is reported, too */
	bool level_falls_far;		/* by more than one: who waits may want several */
	struct hold *holds;		/* who has it now */
	struct hold *left;		/* the last of those who ended with it */
	struct ctt_fact released;
	/* was acquired while held: readers, re-entry, untold releases */
	bool overlaps;
	/* and all who held it at a time gave it back: a read lock */
	bool shares;
	bool returns;			/* was given back by who took it */
	/* was released by another than who took it: its guard is handed over */
	bool passed_on;
	bool again;			/* was taken by one who had it */
	/* deadlock: may another than its holders release it? */
	enum { UNSEEN, HOLDERS_ONLY, PASSABLE } passage;
	/* deadlock: its waiters are not stuck; its holders are in the evidence */
	bool freed, told;
	struct vertex vertex;
	/* last created by its holder while it held it: may have been given the guard */
	uint64_t child;
	struct ctt_fact no_waiter;		/* last notify that woke nobody */
	uint64_t woke_ts;		/* last wake for it, or notify that woke somebody */
	uint64_t woke_id;		/* whom that wake woke */
	struct ctt_fact woke;		/* that wake, where it named the thing */
	bool opened;			/* an open line reported of it */
	uint64_t runnable;		/* waiters woken and not resumed yet; counted at the end */
};

enum { WAKERS = 8 };
struct place {				/* a site where coroutines suspend */
	uint64_t site;
	bool receives;			/* some did before an empty channel */
	uint64_t longest_ns;		/* wait of one that left it */
	uint64_t ended;			/* coroutines that left it and have ended since */
	/* who woke somebody there from a thing that is not reported */
	uint64_t wakers[WAKERS];
	uint8_t waker_count;
	bool outside;			/* and others than these did */
};

enum { PLACES = 2 };			/* a coroutine's last places that straggler remembers */
struct evidence {
	struct ctt_coro *c;
	struct object *on;		/* of its last suspend, NULL = nothing known */
	struct evidence *next, **prev;	/* among on->waiters */
	uint64_t suspended;		/* ts of its last suspend; 0 = runs or never did */
	uint64_t woken;			/* ts of a wake since */
	struct place *place;
	uint64_t place_ended;		/* place->ended when it came */
	struct { struct place *place; uint64_t ts; } left[PLACES];
	struct ctt_fact closed, awaitee;	/* what befell the thing since it waits */
	struct ctt_fact dropped;		/* its last waker */
	int64_t wakers;
	uint64_t cloned;		/* when a waker of it last was */
	uint64_t awaiter;		/* last that waited for its result */
	bool wakers_told, wakers_odd;
	bool polled;			/* its last resume came within its parent's run */
	bool level_was_0, level_was_told, lock_was_held; /* when it suspended */
	uint64_t lost_to;		/* `lost` lines of its own */
	struct hold *held;		/* locks it holds */
	bool sends;			/* waits in a send on a Go channel */
	uint64_t rested;		/* when it last came back from a sleep or the network */
	struct place *sent;		/* where it last got rid of something so */
	uint64_t kids, kids_live, first_kid; /* whom it created; ts of the first */
	struct vertex vertex;
	struct process *process;	/* of the thread of its last suspend; NULL: none yet */
	bool stuck;			/* deadlock: whoever could wake it is stuck, too */
	bool in_cycle;
	bool grouped;			/* all who ever woke anybody where it waits are, too */
};

struct ended { uint64_t id; struct ctt_fact fact; };
/* recently ended coroutines, newest of each hash: what was awaited too late */
enum { ENDED = 1 << 14 };

struct lost_thread { uint64_t tid, to; };		/* it lost events, the last of them then */
/* alive: last seen to be, before that; 0 = not reported */
struct exited { uint64_t pid, ts, alive; };
struct later {				/* an event that was put off (teardown.c) */
	enum ctt_ev_kind kind;
	uint32_t has;
	bool done, clone;
	uint64_t probe_id, tid, ts, n, site, by, value, line;
	struct ctt_on on;			/* its text, where it has no number, is a copy */
};

struct thread {				/* of a process (crew.c) */
	uint64_t tid;
	struct ctt_worker *w;		/* NULL: it has not acted */
	struct process *process;	/* NULL: of none yet, or its process ended */
	struct thread *next, **prev;	/* among process->threads */
	unsigned bits, confidence;	/* as counted there */
};
enum { SLEEPERS = CTT_FINDING_FACTS };
struct process {
	uint64_t pid;
	struct thread *threads;		/* that acted, but for those of a life of it that ended */
	/* by confidence to a worker: how many; in their loop; last active */
	struct alike { uint64_t all, up, last; } alike[4];
	/* its ends while others went on: the line's time, T, exit */
	struct over { uint64_t seen, end, exit; } *over;
	size_t overs, over_room;
	uint64_t over_latest;		/* of these, the latest T */
	struct {			/* while judging */
		/* T for its coroutines; when it ended, as far as is known; 0: not asked yet */
		uint64_t end, exit;
		/* of the queues of workers that sleep; when the last of these went to */
		uint64_t depth, asleep_since;
		uint64_t queued;	/* coroutines that could be in them */
		const struct ctt_worker *sleeper[SLEEPERS];
		uint32_t sleepers;
	} now;
};
struct candidate {			/* a thread that could run coroutines */
	struct ctt_worker *w;
	size_t seen;			/* in order of first sight */
	bool gone;			/* ended the grace or more before its process */
};

/* One that was destroyed where it waited (gone.c). The copy's texts are its own. */
enum { GONE = 256, RING = 64 };
struct gone {
	struct ctt_coro c;
	struct evidence e;
	/* acquired: the lock that it waited for, by the next of its ring */
	struct ctt_fact end, acquired;
	uint64_t on_pid, since;		/* of a ring: when it closed */
	/* of a ring: it ended by a release of this one's, if that did not go on; 0: by a destroy */
	uint64_t unless_resumed;
	/* the first of a ring, which lists the others; one of those */
	bool ring, follower;
	uint64_t next[RING];
	uint32_t nexts;
};

struct ctt_judge {
	struct ctt_model *model;
	struct object **chain;
	size_t mask, objects;
	struct keyed places, exits, processes, threads;
	bool swept;			/* objects were forgotten */
	struct later *later;		/* of process later_pid, whose workers have stopped */
	size_t later_count, later_size;
	uint64_t later_pid;
	/* of these, the times of those that were too many to keep; 0 = none */
	uint64_t dropped_from, dropped_to;
	uint64_t dropped_until;		/* and some process went on after such; 0 = none */
	struct ended *ended;		/* NULL until one ends */
	struct gone *gone[GONE];
	size_t gone_count, gone_unsure;	/* gone_unsure: rings that ended by a release */
	/* some waited on descriptors whose opening no line reported */
	bool fds_untold;
	/* the recording came late, and the program had kept nothing */
	bool born_before;
	/* something that anyone may need was lost up to then; 0 = nothing */
	uint64_t lost_to;
	uint64_t longest_delay, delays;	/* from wake to resume */
	uint64_t gaps;			/* model's count when last looked at */
	struct keyed losses;		/* struct lost_thread */
	bool unborn;			/* creates are missing */
	bool by_gaps, context;		/* while judging: see losses.c */
	struct ctt_finding *findings;
	size_t count, size;
	/* while judging */
	uint64_t grace;
	const struct ctt_trace_run *run;
	struct { struct place *place; uint64_t ts; } *moved_on;
	size_t moved_on_count;
	size_t torn_down;	/* of the live, by what stands in `later` */
	size_t fresh;		/* left out by the last ctt_judge_findings for the grace */
	struct candidate *candidate;	/* NULL: not listed yet */
	size_t candidates;
	bool queues_counted, orphans_looked;
	/* when the last was created that lives, whose parent has ended */
	uint64_t last_orphan;
};

/* objects (objects.c) */
/* NULL: not known or not there */
struct object *object_find(struct ctt_judge *, const struct ctt_on *, uint64_t tid);
/* NULL: not known */
struct object *object_get(struct ctt_judge *, const struct ctt_on *, uint64_t tid);
struct object *object_at(struct ctt_judge *, const struct ctt_on *, uint64_t pid);
void object_wait(struct object *, struct evidence *);
void object_leave(struct evidence *);
/* that line reports less than there was */
bool object_taken(struct ctt_judge *, const struct ctt_event *level);
/* open, close, notify, level, acquire, release */
void object_line(struct ctt_judge *, const struct ctt_event *);
void objects_free(struct ctt_judge *);
bool thing_equal(const struct ctt_on *, enum ctt_on_kind kind, uint64_t key);

/* holds (holds.c) */
bool object_held(const struct object *);		/* by anybody, or left locked */
struct hold *hold_find(struct ctt_judge *, const struct object *, uint64_t by, uint64_t tid);
void object_acquire(struct ctt_judge *, struct object *, const struct ctt_event *);
void object_release(struct ctt_judge *, struct object *, const struct ctt_event *);
/* its holder ended; NULL: has no heir */
void hold_pass(struct ctt_judge *, struct hold *, struct ctt_coro *heir, struct ctt_fact end);
void drop_holds(struct object *);
/* whatever comes by this name is another thing */
void object_reset(struct object *);

/* evidence (judge.c) */
struct evidence *evidence_of(struct ctt_coro *);	/* made when not there */
/* its end; NULL: it lives, or that is forgotten */
const struct ctt_fact *judge_ended(const struct ctt_judge *, uint64_t id);
struct ctt_fact fact_of(const struct ctt_event *, const char *what);

/* the threads of processes (crew.c) */
/* after the model, each event with a tid */
void crew_follow(struct ctt_judge *, const struct ctt_event *);
/* Have the workers of a process stopped by then: is each out of its loop? What is closed after
 * that, and not announced to those who wait, is the order in which a program takes itself apart.
 * False: they are there, or do not declare themselves. */
bool crew_stopped(struct ctt_judge *, uint64_t pid, uint64_t ts);
/* When they did; UINT64_MAX: they have not. They are asked to stop at one time, and do so as they
 * get the processor: the first of them decides, but not one that left long before. Walks the
 * process's threads. */
uint64_t crew_stopped_at(const struct process *);
uint64_t crew_last_ts(const struct process *);		/* of all its threads; walks them */
void crew_end(struct process *, uint64_t ts);		/* all its threads end with it */
/* Call fn with each thread that could run c until it returns false: those with the role, else those
 * that park; in c's process; and the one that ran it last. Not those that ended while others went
 * on. False: one call did, or there are none. */
typedef bool worker_fn(
	struct ctt_judge *, const struct ctt_coro *, const struct ctt_worker *, void *);
bool each_worker(struct ctt_judge *, const struct ctt_coro *, worker_fn *, void *);
void crew_forget_candidates(struct ctt_judge *);	/* before judging anew */

/* how a process ends (teardown.c) */
struct process *process_of(struct ctt_judge *, uint64_t tid);
/* T for it: its process may have ended before */
uint64_t end_for(struct ctt_judge *, const struct ctt_coro *);
/* the latest T that any coroutine of a process can have */
uint64_t latest_end(struct ctt_judge *, uint64_t pid);
/* since it came into its state, until its process ended */
uint64_t age_of(struct ctt_judge *, const struct ctt_coro *);
/* True: the event comes after its process's workers have stopped, and is put off until they come
 * back. */
bool judge_later(struct ctt_judge *, const struct ctt_event *);
void judge_now(struct ctt_judge *, const struct ctt_event *);
void process_ended(struct ctt_judge *, const struct ctt_event *);	/* while others may go on */
void later_free(struct ctt_judge *);

/* The verdicts (verdicts.c). A rule returns false where its pattern is not there; it fills in all
 * but id, coro and age. Of a coroutine the first rule that proves speaks, else the first that
 * suspects, in the order of enum ctt_verdict. */
typedef bool rule(struct ctt_judge *, struct evidence *, struct ctt_finding *);
struct verdict {
	struct ctt_verdict_facts facts;
	/* kinds of lines that could overturn it, by 1 << enum ctt_ev_kind */
	uint32_t needs;
	bool order_matters;	/* it is none if cause and suspend happened the other way round */
	/* asked of those that wait, and that are runnable; NULL: found otherwise */
	rule *asleep, *woken;
};
const struct verdict *verdict_of(enum ctt_verdict);
/* rules.c */
rule rule_closed, rule_awaitee, rule_owner, rule_missed, rule_ready, rule_waker;
/* runnable.c */
rule rule_runnable, rule_straggler, rule_silent;
/* group.c */
rule rule_group;
rule rule_go_lock, rule_go_send, rule_go_group;				/* go-waits.c */
bool is_send(const struct ctt_coro *);			/* waits in a send on a Go channel */
void kid_created(struct ctt_coro *parent, uint64_t ts);
void kid_ended(struct ctt_coro *parent);
/* wasted.c */
rule rule_wasted;
/* deadlock.c */
void judge_deadlocks(struct ctt_judge *);

/* Was the last wake for the thing for nothing: can the one that was woken no more take it?
 * (wasted.c) */
bool wake_in_vain(const struct ctt_judge *, const struct object *);
/* if that wake named the thing */
void accuse_wasted(const struct ctt_judge *, struct evidence *, struct ctt_finding *);

/* what is missing (losses.c) */
void losses_line(struct ctt_judge *, const struct ctt_event *);		/* a `lost` line */
/* own events are missing before that one */
void losses_gap(struct ctt_judge *, struct ctt_coro *, const struct ctt_event *);
/* acts somebody of whom no line reported? */
bool losses_context(const struct ctt_judge *);
/* once, before findings are */
void losses_weigh(struct ctt_judge *);
/* Why what is missing since `from` could overturn the finding, and how certain it is still; NULL:
 * it cannot. */
const char *losses_touch(
	struct ctt_judge *, const struct ctt_finding *, uint64_t from, enum ctt_certainty *left);

/* destroyed ones (gone.c) */
/* it ends: see whether a verdict is about it */
void gone_note(struct ctt_judge *, struct ctt_coro *, const struct ctt_event *);
/* a release line, before it is applied */
void gone_release(struct ctt_judge *, const struct ctt_event *);
void judge_gone(struct ctt_judge *);
void gone_free(struct ctt_judge *);
/* alive, or kept for a finding; else NULL */
const struct ctt_coro *judge_coro_of(const struct ctt_judge *, uint64_t id);

/* groups (group.c) */
void place_woken(struct evidence *, uint64_t by);
void judge_groups(struct ctt_judge *);		/* for rule_group */
/* in one of Go's selects: any could wake it, often a channel that asks it to end */
bool waits_for_several(const struct ctt_coro *);

/* Woken at `since`, may it just stand in a long queue? Not when all workers were idle after that;
 * where they do not report, not after ten times the longest delay of others. (runnable.c) */
bool may_be_queued(struct ctt_judge *, const struct ctt_coro *, uint64_t since);

/* for the rules (findings.c) */
/* is ts older than the grace? */
bool settled(struct ctt_judge *, const struct ctt_coro *, uint64_t ts);
void add_fact(struct ctt_finding *, struct ctt_fact);
struct ctt_fact suspend_fact(const struct ctt_coro *);
void add_finding(struct ctt_judge *, struct ctt_finding *);
#endif
