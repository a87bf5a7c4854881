/* state.h - what model.c is made of: the tables of coroutines, threads and sites. Inside the library only. */
#ifndef STATE_H
#define STATE_H

#include "cttrace.h"

/* Memory or death: a filter that cannot hold its state has nothing to say (status 2). */
void *need(void *p);
/* *s becomes a terminated copy of t. */
void set_text(char **s, struct ctt_text t);

/* Live coroutines (coros.c): open addressing over pointers that stay valid until coros_remove. */
struct coros {
	struct coro_slot { uint64_t id; struct ctt_coro *c; } *slot;	/* NULL: none yet */
	size_t mask, live;		/* slots - 1; in use */
	unsigned shift;			/* 64 - log2(slots) */
	struct coro_block *blocks;	/* every coroutine ever needed at once; freed ones are in `spare` */
	struct ctt_coro *spare;
	struct ctt_coro **order;		/* for ctt_model_next */
	bool sorted;			/* order is that of now */
};
struct ctt_coro *coros_add(struct coros *, uint64_t id);		/* zeroed, state CTT_CORO_CREATED; id must not be there */
void coros_remove(struct coros *, struct ctt_coro *);
struct ctt_coro **coros_sorted(struct coros *);			/* by id; valid until the next call */
void coros_free(struct coros *);
/* c->on becomes `on`, which holds a text: the copy is the coroutine's. */
void coro_on_text(struct ctt_coro *, const struct ctt_on *);

/* A growing array found by a 64-bit key: threads by tid, sites by number (keyed.c). Elements begin with their key and
 * never move. */
enum { KEYED_RECENT = 16 };
struct keyed {
	void **item;			/* in order of first sight */
	size_t count, size, elem;	/* elem: bytes of one, set by the owner */
	uint32_t *slot;			/* index + 1 */
	size_t mask;
	void *recent[KEYED_RECENT];	/* got last, by their keys' last bits: few threads, many lines */
};
void *keyed_find(const struct keyed *, uint64_t key);		/* NULL when not there */
void *keyed_make(struct keyed *, uint64_t key);			/* keyed_get, for one that is not in `recent` */
void keyed_free(struct keyed *);

/* Call stacks and symbols (stacks.c). */
struct ctt_model;
struct symbol { uint64_t addr; struct ctt_site *at; size_t count; };
void stacks_line(struct ctt_model *, const struct ctt_event *);
void symbol_line(struct ctt_model *, const struct ctt_event *);
void stacks_free(struct ctt_model *);

struct ctt_model {
	struct coros coros;
	struct keyed workers, sites, stacks, symbols;
	uint64_t first_ts, last_ts, lost, missing, end_lost;
	uint64_t printed;		/* lines of the kinds that the end line counts */
	bool exact, cut;
	void (*on_end)(void *, struct ctt_coro *, const struct ctt_event *);
	void *on_end_arg;
};

static inline uint64_t hash64(uint64_t x)
{
	x *= 0x9E3779B97F4A7C15ull;
	return x ^ x >> 32;
}

/* Where the search for an id begins: ids that follow one another spread without meeting. */
static inline size_t coros_home(const struct coros *t, uint64_t id)
{
	return (size_t)(id * 0x9E3779B97F4A7C15ull >> t->shift);
}

/* Slots are probed in order; a free one ends the search. */
static inline size_t coros_slot(const struct coros *t, uint64_t id)
{
	size_t i = coros_home(t, id);

	while (t->slot[i].id != id && t->slot[i].c)
		i = (i + 1) & t->mask;
	return i;
}

static inline struct ctt_coro *coros_find(const struct coros *t, uint64_t id)
{
	return t->slot ? t->slot[coros_slot(t, id)].c : NULL;
}

/* Made, zeroed, when not there. */
static inline void *keyed_get(struct keyed *t, uint64_t key)
{
	void *item = t->recent[key % KEYED_RECENT];

	return item && *(uint64_t *)item == key ? item : keyed_make(t, key);
}
#endif
