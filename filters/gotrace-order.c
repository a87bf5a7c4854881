/* gotrace-order.c - merge the threads' streams of a generation: nearly always the oldest next event is the one, and when
 * it cannot have happened yet by the numbers of its goroutine or processor, the oldest one that can. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace-events.h"
#include "gotrace-out.h"

enum go_take go_broken(struct go_order *o, const char *fmt, ...)
{
	char why[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	go_fail(o->f, (size_t)(o->at->at - o->f->buf), "%s", why);
	return GO_BROKEN;
}

struct go_m *go_thread(struct go_order *o, uint64_t id)
{
	struct go_m *m = go_find(&o->ms, id);
	char *p;

	if (m)
		return m;
	m = go_need(calloc(1, sizeof(*m)));
	m->id = id;
	/* Some systems' thread ids are addresses; ours have 32 bits. */
	m->tid = id == GO_NONE ? 0 : id >> 32 ? 0x80000000u | ++o->threads : (uint32_t)id;
	p = OUT(m->text, ",\"tid\":");
	p = out_number(p, m->tid);
	p = OUT(p, ",\"addr\":\"0x0000000000000000\",\"seq\":");
	m->text_len = (size_t)(p - m->text);
	go_add(&o->ms, m);
	return m;
}

struct go_g *go_make_g(struct go_order *o, uint64_t id, unsigned status)
{
	struct go_g *g = o->spare;

	if (g)
		o->spare = g->spare;
	else
		g = go_need(malloc(sizeof(*g)));
	*g = (struct go_g){ .id = id, .status = status, .seq = { o->f->gen.number, 0 } };
	go_add(&o->gs, g);
	return g;
}

static void free_ended(struct go_order *o)
{
	struct go_g *g = o->ended;

	free(g->region);
	g->id = 0;
	g->spare = o->spare;
	o->spare = g;
	o->ended = NULL;
}

static go_rule *const rules[256] = {
	[GO_PROCS ... GO_PROC_STATUS] = go_rule_proc,
	[GO_CREATE ... GO_STATUS] = go_rule_goroutine,
	[GO_STW ... GO_LOG] = go_rule_range,
	[GO_SWITCH ... GO_STATUS_STACK] = go_rule_goroutine,
	[GO_ALLOC ... GO_ALLOC_LAST] = go_rule_range,
};

/* Take the next event of a cursor, if it may be the next of all. */
static enum go_take step(struct go_order *o, struct go_map *map, struct go_cursor *c)
{
	struct go_m *m = c->m;
	struct go_ctx ctx = { .m = m, .p = m->p, .g = m->g && m->g->id == m->g_id ? m->g : NULL };
	enum go_take taken;

	o->at = c;
	m->met = true;
	taken = rules[c->ev.type](o, &c->ev, &ctx);
	if (taken != GO_TAKEN)
		return taken;
	if (m->id == GO_NONE) {		/* no thread: it holds nothing */
		m->p = NULL;
		go_hold(m, NULL);
	}
	if (!go_check_ids(o->f, c))
		return GO_BROKEN;
	if (!map_event(map, o, &c->ev, &ctx))
		taken = GO_BROKEN;
	if (o->ended)
		free_ended(o);
	return taken;
}

static void sift_down(struct go_order *o, size_t i)
{
	struct go_cursor **h = o->heap, *c = h[i];

	for (size_t k; (k = 2 * i + 1) < o->heap_count; i = k) {
		if (k + 1 < o->heap_count && h[k + 1]->ev.time < h[k]->ev.time)
			k++;
		if (c->ev.time <= h[k]->ev.time)
			break;
		h[i] = h[k];
	}
	h[i] = c;
}

static void sift_up(struct go_order *o, size_t i)
{
	struct go_cursor **h = o->heap, *c = h[i];

	for (; i && c->ev.time < h[(i - 1) / 2]->ev.time; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = c;
}

/* The cursor at place i goes on to its next event, or out. */
static bool move_on(struct go_order *o, size_t i)
{
	struct go_cursor *c = o->heap[i];

	if (!go_cursor_next(o->f, c)) {
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
	const struct go_cursor *x = *(struct go_cursor *const *)a, *y = *(struct go_cursor *const *)b;

	if (x->ev.time != y->ev.time)
		return x->ev.time < y->ev.time ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The oldest must wait for another. */
static bool try_others(struct go_order *o, struct go_map *map)
{
	const struct go_cursor *tried = o->heap[0];

	qsort(o->heap, o->heap_count, sizeof(*o->heap), by_time);	/* which of equal ones comes first may change */
	for (size_t i = 0; i < o->heap_count; i++) {
		enum go_take taken = o->heap[i] == tried ? GO_LATER : step(o, map, o->heap[i]);

		if (taken != GO_LATER)
			return taken == GO_TAKEN && move_on(o, i);
	}
	o->at = tried;
	go_broken(o, "event %u of thread %" PRIu64 " and all others wait for one that is missing", tried->ev.type, tried->m->id);
	return false;
}

/* A cursor for each thread, its batches in the file's order. */
static void make_cursors(struct go_order *o)
{
	struct go_gen *g = &o->f->gen;
	size_t old = o->cursor_room;

	o->cursors = o->heap_count = 0;
	o->merges++;
	for (size_t i = 0; i < g->batches; i++) {
		struct go_m *m = go_thread(o, g->batch[i].m);
		bool first = m->merge != o->merges;

		if (first) {
			o->cursor = go_room(o->cursor, o->cursors, &o->cursor_room, sizeof(*o->cursor));
			m->merge = o->merges;
			m->cursor = o->cursors++;
			o->cursor[m->cursor] = (struct go_cursor){ .m = m };
			go_cursor_batch(o->f, &o->cursor[m->cursor], i + 1);
		} else {
			g->batch[o->cursor[m->cursor].tail - 1].next = i + 1;
		}
		o->cursor[m->cursor].tail = i + 1;
	}
	if (o->cursor_room != old)
		o->heap = go_need(realloc(o->heap, o->cursor_room * sizeof(struct go_cursor *)));
}

bool go_merge(struct go_order *o, struct go_map *map)
{
	if (!o->first_gen)
		o->first_gen = o->f->gen.number;
	make_cursors(o);
	for (size_t i = 0; i < o->cursors; i++) {
		if (!go_cursor_next(o->f, &o->cursor[i]))
			return false;
		o->heap[o->heap_count++] = &o->cursor[i];
		sift_up(o, o->heap_count - 1);
	}
	while (o->heap_count) {
		enum go_take taken = step(o, map, o->heap[0]);

		if (taken == GO_BROKEN || !(taken == GO_TAKEN ? move_on(o, 0) : try_others(o, map)))
			return false;
	}
	return true;
}

uint64_t go_lost(struct go_order *o)
{
	struct go_file rest = *o->f;	/* its complaints are not ours */
	uint64_t count = 0;

	for (size_t i = 0; i < o->cursors; i++) {
		struct go_cursor *c = &o->cursor[i];

		for (count += c->batch && c->ev.type; c->batch && go_cursor_next(&rest, c); count++)
			;
	}
	return count;
}

void go_free_items(struct go_ids *t)
{
	for (size_t i = 0; t->slot && i <= t->mask; i++)
		free(t->slot[i]);
	free(t->slot);
}

void go_order_free(struct go_order *o)
{
	for (size_t i = 0; o->gs.slot && i <= o->gs.mask; i++)
		if (o->gs.slot[i])
			free(((struct go_g *)(void *)o->gs.slot[i])->region);
	for (struct go_g *g = o->spare, *next; g; g = next) {
		next = g->spare;
		free(g);
	}
	go_free_items(&o->gs);
	go_free_items(&o->ms);
	go_free_items(&o->ps);
	go_free_items(&o->tasks);
	free(o->cursor);
	free(o->heap);
}
