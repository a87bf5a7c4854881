/* state.h - what model.c is made of: the tables of coroutines, threads and sites. Inside the
 * library only. */
#ifndef STATE_H
#define STATE_H

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/table.h"
#include "cttrace.h"

/* *s becomes a terminated copy of t, a name or what else is for people: of a long one its beginning
 * and its end. */
void set_text(char **s, struct ctt_text t);

struct ctt_model;
/* of several things that a coroutine waits for (legs.c) */
void leg_line(struct ctt_coro *, const struct ctt_event *);
void legs_wait(struct ctt_coro *, const struct ctt_event *);	/* a suspend, or its state */
void legs_leave(struct ctt_coro *);
/* Of one that is seen first in the state line behind them: kept, until it takes them. */
void legs_early(struct ctt_model *, const struct ctt_event *);
void legs_take(struct ctt_model *, struct ctt_coro *);
void legs_deadline(struct ctt_coro *, const struct ctt_event *);
/* The one timer among them; NULL: there is none, or of several it is not known which. */
struct ctt_leg *legs_timer(struct ctt_legs *);
void legs_free(struct ctt_coro *);

/* Live coroutines (coros.c): their pointers stay valid until coros_remove. */
struct coros {
	struct hash live;		/* by id */
	struct pool pool;
	struct ctt_coro **order;		/* for ctt_model_next */
	bool sorted;			/* order is that of now */
};
/* zeroed, state CTT_CORO_CREATED; id must not be there */
struct ctt_coro *coros_add(struct coros *, uint64_t id);
void coros_remove(struct coros *, struct ctt_coro *);
/* by id; valid until the next call */
struct ctt_coro **coros_sorted(struct coros *);
void coros_free(struct coros *);
/* c->on becomes `on`, which holds a text: the copy is the coroutine's. */
void coro_on_text(struct ctt_coro *, const struct ctt_on *);

/* It ended, by `ev`: whoever wants to know is called, then it is removed. */
void coro_end(struct ctt_model *, struct ctt_coro *, const struct ctt_event *);

/* A line that is about no coroutine's own steps (lines.c). */
void line_apply(struct ctt_model *, const struct ctt_event *);

/* Call stacks and symbols (stacks.c). */
struct symbol { uint64_t addr; struct ctt_site *at; size_t count; };
void stacks_line(struct ctt_model *, const struct ctt_event *);
void symbol_line(struct ctt_model *, const struct ctt_event *);
void stacks_free(struct ctt_model *);

struct ctt_model {
	struct coros coros;
	struct ctt_coro early;		/* nobody's legs yet, but that id's */
	struct keyed workers, sites, stacks, symbols;
	uint64_t first_ts, last_ts, lost, missing, end_lost;
	uint64_t counted[CTT_EV_KINDS];	/* lines seen, by kind */
	/* of `missing`: own events of coroutines that were seen, by their n */
	uint64_t gaps;
	/* lines that the end line counts, and that are not there */
	uint64_t vanished[CTT_EV_KINDS];
	bool counts_by_kind;		/* it counts each kind */
	/* lines that stand behind later ones of their coroutine, or twice: sorted, mixed or doubled
	 * since they were written */
	uint64_t astray;
#define MODEL_ASTRAY "lines are out of order, or stand twice"
	bool exact, cut;
	/* attached to a running program; its `attach` line is still to come; a box's */
	bool late, before_attach, snapshot, dead, torn;
	uint64_t attached;		/* when that line says */
	/* some end, and their numbers come again: those that live and are `confirmed` are among them */
	struct { uint64_t *id; size_t count, room; } confirmed;
	uint64_t stopped_at, stopped;	/* recording stopped then (0: it goes on), so long in all */
	void (*on_end)(void *, struct ctt_coro *, const struct ctt_event *);
	void *on_end_arg;
	/* Who goes by this model besides its owner, instead of applying each line to one of its
	 * own: called for each coroutine that ends; and when the owner is about to put a line off,
	 * whereupon it must go on with a copy, and is called no more. */
	struct follower {
		void *arg;
		void (*on_end)(void *, struct ctt_coro *, const struct ctt_event *);
		void (*part)(void *);
	} follower;
};
/* Of the same state, but for what its owner and the judge keep with it; `span`s are those of the
 * first. */
struct ctt_model *model_copy(const struct ctt_model *);
/* The owner does not apply the line that has come. */
static inline void model_part(struct ctt_model *m)
{
	void (*part)(void *) = m->follower.part;

	m->follower.part = NULL;
	if (part)
		part(m->follower.arg);
	m->follower.on_end = NULL;
}

static inline uint64_t hash64(uint64_t x)
{
	x *= 0x9E3779B97F4A7C15ull;
	return x ^ x >> 32;
}

static inline struct ctt_coro *coros_find(const struct coros *t, uint64_t id)
{
	return hash_find(&t->live, id);
}
#endif
