/* gotrace.h - ct-fromgo's parts: Go's execution trace (format 2, Go 1.22 and later) from bytes to
 * events in order, and from those to our lines.
 *
 *	file.c		header, batches, one generation at a time; fail.c: what is wrong with it
 *	tables.c	a generation's strings, stacks and clock
 *	events.c	events out of a thread's batches
 *	order.c		who there is: threads, goroutines, and the threads' streams
 *	merge.c		the streams merged: whose event comes next; hot.h: the frequent ones, all of it
 *	rules.c		may a thread's or processor's next event happen now, and what follows from it
 *	go.c		the same for goroutines, range.c for collections, regions and tasks
 *	map.c		events to lines; identity.c: who they are about; note.c: those about no goroutine;
 *				state.c: what was there before the trace began, and its end
 *	sites.c		names, source locations and call stacks that are printed once
 *	out.c		the output
 *
 * Go's words: a G is a goroutine, a P a processor (a slot to run Go code on), an M a thread. The
 * facts are those of Go's own reader (golang.org/x/exp/trace): what that refuses is refused here.
 * Ids may be any 64-bit number. Memory grows with one generation (about a second of the program),
 * live goroutines, threads and source locations.
 */
#ifndef GOTRACE_H
#define GOTRACE_H

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cttrace.h"

enum { /* events, by their number in the file */
	GO_BATCH = 1,
	GO_STACKS,
	GO_STACK,
	GO_STRINGS,
	GO_STRING,
	GO_SAMPLES,
	GO_SAMPLE,
	GO_FREQUENCY,
	GO_PROCS,
	GO_PROC_START,
	GO_PROC_STOP,
	GO_PROC_STEAL,
	GO_PROC_STATUS,
	GO_CREATE,
	GO_CREATE_SYSCALL,
	GO_START,
	GO_DESTROY,
	GO_DESTROY_SYSCALL,
	GO_STOP,
	GO_BLOCK,
	GO_UNBLOCK,
	GO_SYSCALL,
	GO_SYSCALL_END,
	GO_SYSCALL_END_BLOCKED,
	GO_STATUS,
	GO_STW,
	GO_STW_END,
	GO_GC_ACTIVE,
	GO_GC,
	GO_GC_END,
	GO_SWEEP_ACTIVE,
	GO_SWEEP,
	GO_SWEEP_END,
	GO_ASSIST_ACTIVE,
	GO_ASSIST,
	GO_ASSIST_END,
	GO_HEAP_ALLOC,
	GO_HEAP_GOAL,
	GO_LABEL,
	GO_TASK,
	GO_TASK_END,
	GO_REGION,
	GO_REGION_END,
	GO_LOG,
	GO_SWITCH,
	GO_SWITCH_DESTROY,
	GO_CREATE_BLOCKED,
	GO_STATUS_STACK,
	GO_EXPERIMENT,
	GO_SYNC,
	GO_CLOCK,
	GO_GENERATION_END,
	GO_ALLOC = 128,
	GO_ALLOC_LAST = 136
};
enum { OUT_PAD = 64 };	/* see out.h */
#define HOT inline __attribute__((always_inline, unused))	/* for what all of a trace goes through */
#define GO_NONE UINT64_MAX	/* an M, P or G that is not there */

/* ---- a generation (file.c, tables.c) ---- */

struct go_batch {
	uint64_t m, time;	/* time in ticks */
	size_t at, len;		/* of its body, in the buffer */
	/* index + 1 of the next of this thread, of those with events; 0 = none */
	size_t next;
};

struct go_string {
	uint64_t id;
	size_t at;
	uint32_t len;
	uint8_t on;		/* as a reason: enum go_wait, 0 = not looked at yet */
	uint32_t name;		/* number of its interned text, 0 = not yet */
};

struct go_stack {
	uint64_t id;
	size_t at;		/* of its frames */
	uint32_t frames;
	uint32_t number;	/* that it is printed by; 0 = not yet (see sites_stack) */
	uint32_t site;		/* the user's own frame, 0 = none */
	uint32_t entry;		/* name of the outermost frame, 0 = not known */
	uint8_t lock, wait;	/* enum go_wait: by the frames of package sync; by the runtime's */
	uint8_t wake_len, end_len;
	/* of the lines of wakes with it: ,"ev":"wake","site":N and ,"stack":N} */
	char wake[32], end[24];
	uint8_t tail_type;	/* what ended the last suspend line with it: of which event, */
	uint64_t tail_reason;	/* for which reason, */
	size_t tail_at, tail_len; /* in map->tails */
};

struct go_gen {
	uint64_t number, min_time, max_time;	/* ticks */
	double tick_ns;		/* 0 = not reported */
	/* the same, where it is a whole number and small, as on all but Windows, for fewer ticks
	 * than that; else 0 */
	uint64_t whole_ns, whole_below;
	bool has_clock, has_strings, any;
	uint64_t clock_ticks, mono, wall;	/* at clock_ticks it was `mono` and `wall` ns */
	struct go_batch *batch;			/* those with events; then those with tables */
	size_t batches, batch_room;
	struct hash strings, stacks;
	struct go_string *string;
	struct go_stack *stack;
	size_t string_count, string_room, stack_count, stack_room;
	struct go_stack **stack_at;	/* those of small ids, by id: Go counts from 1 */
	size_t stack_low, stack_at_room; /* ids below stack_low stand there */
};
static inline struct go_stack *go_find_stack(const struct go_gen *g, uint64_t id)
{
	return id < g->stack_low ? g->stack_at[id] : hash_find(&g->stacks, id);
}

struct go_file {
	const char *name;	/* for messages */
	int fd, error;		/* errno of a failed read */
	unsigned char *buf;
	size_t pos, len, size;	/* buf[0..len) is there, read up to pos */
	uint64_t base;		/* offset in the file of buf[0] */
	bool eof;
	unsigned minor;		/* version: go 1.minor */
	struct go_gen gen;	/* the one at hand; ids point into buf */
	char why[256];		/* what is wrong with it; "" = nothing */
	uint64_t why_at;	/* at which offset */
};

/* Read the header. False: not a trace that can be read, and f->why. */
bool go_open(struct go_file *f, int fd, const char *name);
enum go_read { GO_READ_GEN, GO_READ_END, GO_READ_CUT };
/* The next generation into f->gen. GO_READ_GEN: it can be printed; f->why may say already what is
 * wrong behind it, and nothing follows. GO_READ_CUT: f->why; f->gen holds what there is, for
 * go_lost. */
enum go_read go_next(struct go_file *);
void go_close(struct go_file *);
/* false; the first counts */
bool go_fail(struct go_file *, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Fill the tables from batches that hold some; false: f->why. */
bool go_tables(struct go_file *);
void go_forget(struct go_gen *);	/* empty, its memory kept */
/* Ticks to ns; ticks near 2^64 are as good as 2^62. */
static inline uint64_t go_ns(const struct go_gen *g, uint64_t ticks)
{
	double ns;

	if (ticks < g->whole_below)
		return ticks * g->whole_ns;
	ns = (double)ticks * g->tick_ns;
	return ns < 4e18 ? (uint64_t)ns : 4000000000000000000ull;
}
static inline struct ctt_text go_text(const struct go_file *f, const struct go_string *s)
{
	return (struct ctt_text){ (const char *)f->buf + s->at, s->len };
}

/* ---- events (events.c, events.h) ---- */

struct go_event {
	unsigned type;
	uint64_t time;		/* ns, as its thread saw it */
	uint64_t arg[5];	/* by go_read_args */
	/* by go_check_ids: its last string and stack, NULL = none */
	struct go_string *string;
	struct go_stack *stack;
};

struct go_m;
struct go_cursor {		/* a thread's stream of events */
	struct go_m *m;
	size_t batch, tail;	/* index + 1 of the one at hand (0 = over), of the last */
	/* where the next event begins, where its arguments do, where it ends */
	const unsigned char *at, *args, *p, *end;
	/* the next one; its time is that of the one before until it is read */
	struct go_event ev;
};

/* ---- the order of all (order.c, rules.c, go.c, range.c) ---- */

struct go_seq { uint64_t gen, n; };	/* events of a G or P are numbered within a generation */

enum { P_RUNNING = 1, P_IDLE, P_SYSCALL, P_ABANDONED };
struct go_p {
	uint64_t id;
	unsigned status;
	struct go_seq seq;
	const struct go_m *m;	/* who got it last: holds it while m->p is it */
	bool sweeps;
};

enum { G_RUNNABLE = 1, G_RUNNING, G_SYSCALL, G_WAITING };
struct go_count { char text[16]; uint8_t len; };	/* in decimal */
enum { GO_HEAD = 32, GO_HEAD_ID = 12 };
struct go_g {			/* what most events need comes first */
	uint64_t id;		/* 0 = free: who still points at it sees another id */
	struct go_seq seq;
	uint8_t status;
	bool assists, stops_world;
	bool told;		/* its create or state line stands */
	bool named, system, coro; /* coro: it is run by switches alone (iter.Pull) */
	bool in_syscall;	/* its suspend line says so */
	/* it will, when the call turns out to take long: of these the suspend */
	bool pending;
	uint8_t head_len;
	char head[GO_HEAD];	/* {"probe_id":7, the number from GO_HEAD_ID on */
	struct go_count n, seq2;	/* the next line's "n" and "seq" */
	uint64_t probe_id;
	uint32_t pending_stack, pending_site;
	const struct go_m *pending_m;
	uint64_t pending_ts;
	struct go_region { uint64_t task, name; } *region;
	size_t regions, region_room;
	struct go_g *spare;	/* the next free one */
};
struct go_slab { struct go_slab *next; struct go_g g[63]; };

struct go_m {
	uint64_t id;
	struct go_p *p;
	struct go_g *g;
	uint64_t g_id;		/* it holds g only while g->id is this */
	uint32_t tid;		/* that it is printed by, 0 = the tracer itself */
	bool met, told;
	uint8_t text_len;
	char text[64];		/* ,"tid":4711,"addr":"0x0000000000000000","seq": */
	uint64_t merge;		/* the last generation that it has a cursor in */
	size_t cursor;
};

struct go_order {
	struct go_file *f;
	struct hash ms, ps, gs, tasks;
	struct go_slab *slabs;		/* that all goroutines are in */
	struct go_g *spare, *ended;	/* ended: by the event at hand */
	uint64_t merges;
	const struct go_cursor *at;	/* whose event is looked at */
	uint64_t stopped;		/* stops of the world under way */
	uint64_t first_gen;		/* 0 = none yet */
	uint64_t gc_seq;
	enum { GC_UNKNOWN, GC_OFF, GC_ON } gc;
	uint32_t threads;
	struct go_cursor *cursor;
	struct go_next { uint64_t time; struct go_cursor *c; } *heap;	/* time: of its event */
	size_t heap_count, cursors, cursor_room;
};

/* What an event happens to, as it was before it. */
struct go_ctx {
	struct go_m *m;		/* never NULL; id GO_NONE: nobody's thread */
	struct go_p *p;		/* NULL = none */
	struct go_g *g;
	struct go_g *target;	/* the other goroutine that the event names */
	struct go_m *victim;	/* GO_PROC_STEAL: from whom, NULL = not known */
};

enum go_take { GO_TAKEN, GO_LATER, GO_BROKEN };
typedef enum go_take go_rule(struct go_order *, const struct go_event *, struct go_ctx *);
go_rule go_rule_proc, go_rule_goroutine, go_rule_range;
enum go_take go_broken(struct go_order *, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
/* Does the thread have what an event needs? TAKEN or BROKEN. A goroutine that it must have must
 * also live. */
enum { NEED_M = 1, NEED_P = 2, NEED_G = 4, NO_P = 8, NO_G = 16 };
enum go_take go_lacks(struct go_order *, const struct go_ctx *, unsigned what)
	__attribute__((cold));
static inline enum go_take go_requires(struct go_order *o, const struct go_ctx *c, unsigned what)
{
	if ((what & NEED_M && c->m->id == GO_NONE) || (what & NEED_P && !c->p) ||
		(what & NO_P && c->p) || (what & NEED_G && !c->g) || (what & NO_G && c->m->g))
		return go_lacks(o, c, what);
	return GO_TAKEN;
}
/* That it runs a live goroutine, on a processor. */
static inline enum go_take go_runs(struct go_order *o, const struct go_ctx *c)
{
	if (go_requires(o, c, NEED_M | NEED_P | NEED_G) == GO_BROKEN)
		return GO_BROKEN;
	return c->g->status == G_RUNNING ?
		GO_TAKEN :
		go_broken(o, "goroutine %" PRIu64 " does not run", c->g->id);
}
static inline enum go_take go_in_syscall(struct go_order *o, const struct go_ctx *c)
{
	if (go_requires(o, c, NEED_M | NEED_G) == GO_BROKEN)
		return GO_BROKEN;
	return c->g->status == G_SYSCALL ?
		GO_TAKEN :
		go_broken(o, "goroutine %" PRIu64 " leaves a system call that it is not in",
			c->g->id);
}
static inline bool go_follows(struct go_order *o, uint64_t n, const struct go_seq *last)
{
	return o->f->gen.number == last->gen && n == last->n + 1;
}
struct go_m *go_thread(struct go_order *, uint64_t id);		/* made when not there */
struct go_g *go_make_g(struct go_order *, uint64_t id, unsigned status);
static inline void go_hold(struct go_m *m, struct go_g *g)
{
	m->g = g;
	m->g_id = g ? g->id : 0;
}

struct go_map;
/* A cursor for each thread, its batches in the file's order. */
void go_make_cursors(struct go_order *);
/* Merge one generation and print it. False: f->why. */
bool go_merge(struct go_order *, struct go_map *);
/* how many events of the generation at hand were not given */
uint64_t go_lost(struct go_order *);
void go_order_free(struct go_order *);
void go_free_items(struct hash *);		/* each of them, and the table */

/* ---- lines (map.c, state.c, sites.c, out.c) ---- */

enum go_wait { /* what is waited on, by a reason of Go or by the frames */
	W_UNSEEN,
	W_NONE,
	W_CHAN_RECV,
	W_CHAN_SEND,
	W_SELECT,
	W_SYNC,
	W_SEM,
	W_MUTEX,
	W_JOIN,
	W_COND,
	W_NETWORK,
	W_SLEEP,
	W_FOREVER,
	W_RUNTIME,
	W_PREEMPTED,
	W_SYNCTEST,
	W_KINDS
};
const char *go_wait_on(enum go_wait);		/* "chan:"; NULL = nothing to say */
const char *go_wait_reason(enum go_wait);	/* Go's words */
enum go_wait go_wait_of(struct ctt_text reason);

struct go_sites;
struct go_sites *sites_new(void);
void sites_free(struct go_sites *);
/* Have its site and stack lines printed; NULL where there are no frames. */
void sites_resolve(struct go_sites *, struct go_file *, struct go_stack *);
static inline struct go_stack *sites_stack(
	struct go_sites *s, struct go_file *f, struct go_stack *t)
{
	if (!t || t->number)
		return t;
	if (!t->frames)
		return NULL;
	sites_resolve(s, f, t);
	return t;
}
struct ctt_text sites_name(const struct go_sites *, uint32_t name);
extern const struct go_stack sites_none;	/* for lines with none */

enum go_syscalls { SYSCALLS_NONE, SYSCALLS_BLOCKING, SYSCALLS_ALL };
struct go_map {
	struct go_file *f;
	struct go_sites *sites;
	enum go_syscalls syscalls;
	/* ns: given times rise strictly; how far the last generation saw time come */
	uint64_t last, end, first_gen;
	struct buf tails;	/* of this generation's stacks */
	/* lines as an end line counts them; goroutines under a borrowed id */
	uint64_t events, lives;
	struct hash used;	/* goids that come and go: of callbacks from C */
	struct hash started;	/* in the first generation: those whose state was reported */
};
/* What happened at `ts`, as lines. False: f->why, that it contradicts a line which stands
 * already. */
bool map_event(
	struct go_map *, struct go_order *, const struct go_event *, struct go_ctx *, uint64_t ts);
/* The next time to print for something that happened at `t`. */
static inline uint64_t map_tick(struct go_map *m, uint64_t t)
{
	return m->last = t > m->last ? t : m->last + 1;
}
void map_free(struct go_map *);
void map_meta(struct go_map *);
void map_sync(struct go_map *, uint64_t ts);
/* The state of all that was there before the first generation, as of its start. */
void map_states(struct go_map *, struct go_order *, uint64_t ts);
/* Its status comes in its place: it takes over what its state line, if there is one, said. */
void map_started(struct go_map *, struct go_g *);
void map_note(struct go_map *, struct go_order *, const struct go_event *, const struct go_ctx *,
	uint64_t ts);
void map_syscall(struct go_map *, struct go_g *);	/* report the system call that it is in */
/* the end: what still is in a system call */
void map_pending(struct go_map *, struct go_order *);
void map_end(struct go_map *);
void map_lost(struct go_map *, uint64_t count);
/* The first mention of a thread is a line. */
void map_thread(struct go_m *, uint64_t ts);
/* Its name line, where `entry` reports its name. */
void map_name(struct go_map *, struct go_g *, const struct go_m *, uint64_t ts, uint32_t entry);
/* Its stack, NULL where there are no frames; a goroutine's own shows what it was begun with. */
static inline struct go_stack *map_own_stack(
	struct go_map *map, struct go_g *g, const struct go_m *m, uint64_t ts, struct go_stack *s)
{
	s = sites_stack(map->sites, map->f, s);
	if (s && !g->named)
		map_name(map, g, m, ts, s->entry);
	return s;
}
void map_name_line(struct go_map *, const struct go_g *, const struct go_m *, uint64_t ts,
	struct ctt_text name);
/* the runtime's own, by the function that it began with? */
bool map_is_system(struct ctt_text name);
void map_identify(struct go_map *, struct go_g *);	/* its probe_id */
/* The end of the suspend line of `ev`, a block or stop. */
char *map_tail(struct go_map *, const struct go_event *ev, struct go_stack *, char *p);

/* Dumps of goroutines (goroutines.c), by goroutine. */
/* false: it is none, and why */
bool goroutines_read(struct hash *, const char *name, const char **why);
/* The end: what a dump reports those that wait, as their closing state. */
void goroutines_join(struct go_map *, struct go_order *, const struct hash *);
void goroutines_free(struct hash *);
extern const struct go_m map_nobody;			/* the thread of what happens on none */

#endif
