/* order.h - who there is in a trace of Go, and whose event comes next (order.c, merge.c, rules.c,
 * go.c, range.c). */
#ifndef CT_FROMGO_ORDER_H
#define CT_FROMGO_ORDER_H

#include "gotrace.h"

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
	bool printed;		/* its create or state line stands */
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
	bool met, printed;
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
	uint64_t tries;			/* to find who comes next, where the oldest cannot */
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

#endif
