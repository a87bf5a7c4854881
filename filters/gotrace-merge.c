/* gotrace-merge.c - merge the threads' streams of a generation: nearly always the oldest next event is the one, and when it
 * cannot have happened yet by the numbers of its goroutine or processor, the oldest one that can. Starts, blocks, stops and
 * unblocks, of which nearly all of a trace consists, have all that they need here: may it happen now, and then its lines. */
#include <stdlib.h>

#include "gotrace-events.h"
#include "gotrace-lines.h"

static inline struct go_ctx context(struct go_m *m)
{
	return (struct go_ctx){ .m = m, .p = m->p, .g = m->g && m->g->id == m->g_id ? m->g : NULL };
}

/* Taken: when that is, by our clock. */
static inline uint64_t now(struct go_map *map, const struct go_cursor *c)
{
	uint64_t ts = map_tick(map, c->ev.time);

	if (!c->m->told)
		map_thread(c->m, ts);
	return ts;
}

/* goroutine number */
static enum go_take start(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_ctx ctx = context(c->m);
	struct go_g *g;

	if (!go_read_args(o->f, c, 2))
		return GO_BROKEN;
	g = go_find(&o->gs, c->ev.arg[0]);
	if (!g || g->status != G_RUNNABLE || !go_follows(o, c->ev.arg[1], &g->seq))
		return GO_LATER;
	if (go_requires(o, &ctx, NEED_M | NEED_P | NO_G) == GO_BROKEN)
		return GO_BROKEN;
	g->status = G_RUNNING;
	g->seq.n++;
	go_hold(c->m, g);
	line_resume(map, g, c->m, now(map, c));
	return GO_TAKEN;
}

/* goroutine number stack */
static enum go_take unblock(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_ctx ctx = context(c->m);
	struct go_stack *s;
	struct go_g *g;
	uint64_t ts;

	if (!go_read_args(o->f, c, 3))
		return GO_BROKEN;
	g = go_find(&o->gs, c->ev.arg[0]);
	if (!g || g->status != G_WAITING || !go_follows(o, c->ev.arg[1], &g->seq))
		return GO_LATER;
	if (!go_check_stack(o->f, c, c->ev.arg[2]))
		return GO_BROKEN;
	g->status = G_RUNNABLE;
	g->seq.n++;
	ts = now(map, c);
	s = sites_stack(map->sites, map->f, c->ev.stack);
	line_wake(map, g, c->m, ts, ctx.g, s);
	return GO_TAKEN;
}

/* reason stack: it leaves its thread, to wait or only to let others run */
static inline enum go_take leave(struct go_order *o, struct go_map *map, struct go_cursor *c, unsigned status)
{
	struct go_ctx ctx = context(c->m);
	struct go_stack *s;
	struct go_g *g = ctx.g;
	bool known;
	uint64_t ts;
	char *p;

	if (!go_read_args(o->f, c, 2) || go_runs(o, &ctx) == GO_BROKEN || !go_check_stack(o->f, c, c->ev.arg[1]))
		return GO_BROKEN;
	s = c->ev.stack;
	known = s && s->tail_len && s->tail_reason == c->ev.arg[0] && s->tail_type == c->ev.type;
	if (!known && !go_check_string(o->f, c, c->ev.arg[0]))
		return GO_BROKEN;
	g->status = (uint8_t)status;
	go_hold(c->m, NULL);
	ts = now(map, c);
	s = map_own_stack(map, g, c->m, ts, s);
	p = line_own(map, g, c->m, false, ts);
	p = LINE_N(p, "suspend", g);
	p = known ? out_bytes(p, map->tails + s->tail_at, s->tail_len) : map_tail(map, &c->ev, s, p);
	out_end(p);
	if (status == G_RUNNABLE)
		line_wake(map, g, c->m, ts, NULL, NULL);
	return GO_TAKEN;
}

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

static enum go_take other(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_m *m = c->m;
	struct go_ctx ctx = context(m);
	enum go_take taken;

	if (!go_read_args(o->f, c, go_specs[c->ev.type].args - 1u))
		return GO_BROKEN;
	taken = rules[c->ev.type](o, &c->ev, &ctx);
	if (taken != GO_TAKEN)
		return taken;
	if (m->id == GO_NONE) {		/* no thread: it holds nothing */
		m->p = NULL;
		go_hold(m, NULL);
	}
	if (!go_check_ids(o->f, c) || !map_event(map, o, &c->ev, &ctx, now(map, c)))
		taken = GO_BROKEN;
	if (o->ended)
		free_ended(o);
	return taken;
}

static inline enum go_take step(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	o->at = c;
	c->m->met = true;
	switch (c->ev.type) {
	case GO_START:		return start(o, map, c);
	case GO_UNBLOCK:	return unblock(o, map, c);
	case GO_BLOCK:		return leave(o, map, c, G_WAITING);
	case GO_STOP:		return leave(o, map, c, G_RUNNABLE);
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

/* The cursor at place i goes on to its next event, or out. */
static bool move_on(struct go_order *o, size_t i)
{
	struct go_cursor *c = o->heap[i].c;

	if (go_cursor_next(o->f, c)) {
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

/* The oldest must wait for another. */
static bool try_others(struct go_order *o, struct go_map *map)
{
	const struct go_cursor *tried = o->heap[0].c;

	qsort(o->heap, o->heap_count, sizeof(*o->heap), by_time);	/* which of equal ones comes first may change */
	for (size_t i = 0; i < o->heap_count; i++) {
		enum go_take taken = o->heap[i].c == tried ? GO_LATER : step(o, map, o->heap[i].c);

		if (taken != GO_LATER)
			return taken == GO_TAKEN && move_on(o, i);
	}
	o->at = tried;
	go_broken(o, "event %u of thread %" PRIu64 " and all others wait for one that is missing", tried->ev.type, tried->m->id);
	return false;
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
	while (o->heap_count) {
		enum go_take taken = step(o, map, o->heap[0].c);

		if (taken == GO_BROKEN || !(taken == GO_TAKEN ? move_on(o, 0) : try_others(o, map)))
			return false;
	}
	return true;
}

