/* merge.c - merge the threads' streams of a generation: nearly always the oldest next event is the
 * one, and when it cannot have happened yet by the numbers of its goroutine or processor, the
 * oldest one that can. */
#include <stdlib.h>

#include "hot.h"

static go_rule *const rules[256] = {
	[GO_PROCS ... GO_PROC_STATUS] = go_rule_proc,
	[GO_CREATE ... GO_STATUS] = go_rule_goroutine,
	[GO_STW ... GO_LOG] = go_rule_range,
	[GO_SWITCH ... GO_STATUS_STACK] = go_rule_goroutine,
	[GO_ALLOC ... GO_ALLOC_LAST] = go_rule_range,
};

static void free_ended(struct go_order *o)
{
	struct go_g *g = o->ended;

	free(g->region);
	g->id = 0;
	g->spare = o->spare;
	o->spare = g;
	o->ended = NULL;
}

static __attribute__((noinline)) enum go_take other(
	struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_m *m = c->m;
	struct go_ctx ctx = hot_context(m);
	enum go_take taken;

	if (!go_specs[c->ev.type].args)
		return go_bad_event(o->f, c), GO_BROKEN;
	if (!go_read_args(o->f, c, go_specs[c->ev.type].args - 1u))
		return GO_BROKEN;
	taken = rules[c->ev.type](o, &c->ev, &ctx);
	if (taken != GO_TAKEN)
		return taken;
	if (m->id == GO_NONE) {		/* no thread: it holds nothing */
		m->p = NULL;
		go_hold(m, NULL);
	}
	if (!go_check_ids(o->f, c) || !map_event(map, o, &c->ev, &ctx, hot_now(map, c)))
		taken = GO_BROKEN;
	if (o->ended)
		free_ended(o);
	return taken;
}

static HOT enum go_take step(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	switch (c->ev.type) {
	case GO_START:		return hot_start(o, map, c);
	case GO_UNBLOCK:	return hot_unblock(o, map, c);
	case GO_BLOCK:		return hot_leave(o, map, c, G_WAITING);
	case GO_STOP:		return hot_leave(o, map, c, G_RUNNABLE);
	case GO_SYSCALL:	return hot_syscall(o, map, c);
	case GO_SYSCALL_END:	return hot_syscall_end(o, map, c);
	default:		return other(o, map, c);
	}
}

static void sift_down(struct go_order *o, size_t i)
{
	struct go_next *h = o->heap, x = h[i];

	for (size_t k; (k = 2 * i + 1) < o->heap_count; i = k) {
		if (k + 1 < o->heap_count && h[k + 1].time < h[k].time)
			k++;
		if (x.time <= h[k].time)
			break;
		h[i] = h[k];
	}
	h[i] = x;
}

static void sift_up(struct go_order *o, size_t i)
{
	struct go_next *h = o->heap, x = h[i];

	for (; i && x.time < h[(i - 1) / 2].time; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = x;
}

/* The cursor at place i has been to its next event: to where does it go? Out, if there is none. */
static bool move_on(struct go_order *o, size_t i, bool has_next)
{
	struct go_cursor *c = o->heap[i].c;

	if (has_next) {
		o->heap[i].time = c->ev.time;
	} else {
		if (c->batch)
			return false;
		o->heap[i] = o->heap[--o->heap_count];
		if (i == o->heap_count)
			return true;
		sift_up(o, i);
	}
	sift_down(o, i);	/* of one cursor, times only rise */
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct go_next *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->c < y->c ? -1 : x->c > y->c;
}

static enum go_take try(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	o->at = c;
	c->m->met = true;
	return step(o, map, c);
}

/* Clocks of threads differ by so little that the oldest hardly ever waits, and the next one can go on
 * then. A file in which thousands of threads wait for one would take the square of its size. */
static bool too_many(struct go_order *o)
{
	enum { ANYWAY = 1 << 24, A_BYTE = 16 };

	o->tries += o->heap_count;
	return o->tries / A_BYTE > ANYWAY / A_BYTE + o->f->base + o->f->pos;
}

/* The oldest must wait for another. */
static bool try_others(struct go_order *o, struct go_map *map)
{
	const struct go_cursor *tried = o->heap[0].c;

	if (too_many(o)) {
		o->at = tried;
		go_broken(o, "%zu threads wait for one another, and the order of their events is not found in time",
			o->heap_count);
		return false;
	}
	/* which of equal ones comes first may change */
	qsort(o->heap, o->heap_count, sizeof(*o->heap), by_time);
	for (size_t i = 0; i < o->heap_count; i++) {
		enum go_take taken = GO_LATER;

		if (o->heap[i].c != tried)
			taken = try(o, map, o->heap[i].c);
		if (taken != GO_LATER)
			return taken == GO_TAKEN &&
				move_on(o, i, go_cursor_next(o->f, o->heap[i].c));
	}
	o->at = tried;
	go_broken(o, "event %u of thread %" PRIu64 " and all others wait for one that is missing",
		tried->ev.type, tried->m->id);
	return false;
}

/* Until when the first of the heap stays the first. */
static inline uint64_t next_time(const struct go_order *o)
{
	uint64_t a = o->heap_count > 1 ? o->heap[1].time : UINT64_MAX,
		 b = o->heap_count > 2 ? o->heap[2].time : UINT64_MAX;

	return a < b ? a : b;
}

/* Events of the heap's first cursor as long as they are the oldest. */
static HOT bool take_run(
	struct go_order *o, struct go_map *map, struct go_cursor *c, uint64_t until)
{
	enum go_take taken;

	o->at = c;
	c->m->met = true;
	while ((taken = step(o, map, c)) == GO_TAKEN) {
		bool has_next = go_cursor_next(o->f, c);

		if (!has_next || c->ev.time > until)
			return move_on(o, 0, has_next);
	}
	o->heap[0].time = c->ev.time;
	return taken == GO_LATER && try_others(o, map);
}

bool go_merge(struct go_order *o, struct go_map *map)
{
	if (!o->first_gen)
		o->first_gen = o->f->gen.number;
	go_make_cursors(o);
	for (size_t i = 0; i < o->cursors; i++) {
		if (!go_cursor_next(o->f, &o->cursor[i]))
			return false;
		o->heap[o->heap_count++] = (struct go_next){ o->cursor[i].ev.time, &o->cursor[i] };
		sift_up(o, o->heap_count - 1);
	}
	while (o->heap_count)
		if (!take_run(o, map, o->heap[0].c, next_time(o)))
			return false;
	return true;
}
