/* order.c - who there is: threads, goroutines, and the threads' streams of a generation. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "lines.h"

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
	struct go_m *m = hash_find(&o->ms, id);
	char text[64 + OUT_PAD], *p;

	if (m)
		return m;
	m = need(calloc(1, sizeof(*m)));
	m->id = id;
	/* Some systems' thread ids are addresses; ours have 32 bits. */
	m->tid = id == GO_NONE ? 0 : id >> 32 ? 0x80000000u | ++o->threads : (uint32_t)id;
	p = out_number(OUT(text, ",\"tid\":"), m->tid);
	p = OUT(p, ",\"addr\":\"0x0000000000000000\",\"seq\":");
	m->text_len = (uint8_t)(p - text);
	memcpy(m->text, text, m->text_len);
	hash_add(&o->ms, id, m);
	return m;
}

static void add_slab(struct go_order *o)
{
	struct go_slab *s = need(malloc(sizeof(*s)));

	s->next = o->slabs;
	o->slabs = s;
	for (size_t i = sizeof(s->g) / sizeof(s->g[0]); i; i--) {
		s->g[i - 1].spare = o->spare;
		o->spare = &s->g[i - 1];
	}
}

struct go_g *go_make_g(struct go_order *o, uint64_t id, unsigned status)
{
	struct go_g *g;

	if (!o->spare)
		add_slab(o);
	g = o->spare;
	o->spare = g->spare;
	*g = (struct go_g){ .id = id, .status = (uint8_t)status, .seq = { o->f->gen.number, 0 },
		.n = { "1", 1 }, .seq2 = { "2", 1 } };
	hash_add(&o->gs, id, g);
	return g;
}

/* A cursor for each thread, its batches in the file's order. */
void go_make_cursors(struct go_order *o)
{
	struct go_gen *g = &o->f->gen;
	size_t old = o->cursor_room;

	o->cursors = o->heap_count = 0;
	o->merges++;
	for (size_t i = 0; i < g->batches; i++) {
		struct go_m *m = go_thread(o, g->batch[i].m);
		bool first = m->merge != o->merges;

		if (first) {
			ROOM(o->cursor, o->cursors, o->cursor_room);
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
		o->heap = need(realloc(o->heap, o->cursor_room * sizeof(*o->heap)));
}

/* Past its event. */
static bool skip(struct go_file *f, struct go_cursor *c)
{
	unsigned args = go_specs[c->ev.type].args;

	return args && c->args > c->at && go_read_args(f, c, args - 1);
}

uint64_t go_lost(struct go_order *o)
{
	struct go_file rest = *o->f;	/* its complaints are not ours */
	uint64_t count = 0;

	for (size_t i = 0; i < o->cursors; i++) {
		struct go_cursor *c = &o->cursor[i];

		bool good = c->batch && (!c->ev.type || (count++, skip(&rest, c)));

		for (; good && go_cursor_next(&rest, c); good = skip(&rest, c))
			count++;
	}
	return count;
}

void go_free_items(struct hash *t)
{
	void *item;

	for (size_t i = 0; (item = hash_each(t, &i));)
		free(item);
	hash_free(t);
}

void go_order_free(struct go_order *o)
{
	struct go_g *g;

	for (size_t i = 0; (g = hash_each(&o->gs, &i));)
		free(g->region);
	hash_free(&o->gs);
	for (struct go_slab *s = o->slabs, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	go_free_items(&o->ms);
	go_free_items(&o->ps);
	go_free_items(&o->tasks);
	free(o->cursor);
	free(o->heap);
}
