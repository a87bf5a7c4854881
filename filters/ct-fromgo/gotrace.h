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
 * This header has the file, order.h who there is in it, map.h the lines that become of it.
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
#include "read/unpack.h"

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
	int fd, from;		/* the file; where its bytes come from, itself or what unpacks it */
	struct unpack *unpack;	/* NULL: it is not compressed */
	char error[UNPACK_WHY];	/* of a failed read; "" = none */
	unsigned char *buf;
	size_t pos, len, size;	/* buf[0..len) is there, read up to pos */
	uint64_t base;		/* offset in the file of buf[0] */
	bool eof;
	unsigned minor;		/* version: go 1.minor */
	uint64_t last_gen;	/* number of the generation before; 0 = none */
	struct go_gen gen;	/* the one at hand; ids point into buf */
	char why[256];		/* what is wrong with it; "" = nothing */
	uint64_t why_at;	/* at which offset */
};

/* Read the header. False: not a trace that can be read, and f->why. */
bool go_open(struct go_file *f, int fd, const char *name);
enum { GO_ITEMS_MAX = 1 << 24 };	/* batches, strings, stacks of a generation */
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

#endif
