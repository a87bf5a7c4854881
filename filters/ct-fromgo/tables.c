/* tables.c - what the events of a generation refer to: its strings and stacks, and how fast its
 * clock ticks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

enum { STRING_MAX = 1024, FRAMES_MAX = 128 };

void go_forget(struct go_gen *g)
{
	hash_clear(&g->strings);
	hash_clear(&g->stacks);
	*g = (struct go_gen){
		.batch = g->batch,
		.batch_room = g->batch_room,
		.string = g->string,
		.string_room = g->string_room,
		.stack = g->stack,
		.stack_room = g->stack_room,
		.strings = g->strings,
		.stacks = g->stacks,
		.stack_at = g->stack_at,
		.stack_at_room = g->stack_at_room,
	};
}

static bool too_many(struct go_file *f, const unsigned char *at)
{
	return go_fail(f, (size_t)(at - f->buf),
		"more than 2^24 strings or stacks, which are not held in memory");
}

/* `5 id length bytes` each. */
static bool read_strings(struct go_file *f, size_t at, const unsigned char *end)
{
	const unsigned char *p = f->buf + at;
	struct go_gen *g = &f->gen;

	while (p < end) {
		const unsigned char *start = p;
		uint64_t id, len;

		if (*p != GO_STRING || !(p = go_number(p + 1, end, &id)) ||
			!(p = go_number(p, end, &len)) || len > STRING_MAX ||
			len > (size_t)(end - p) || !id)
			return go_fail(
				f, (size_t)(start - f->buf), "the table of strings is malformed");
		if (g->string_count == GO_ITEMS_MAX)
			return too_many(f, start);
		*ADD(g->string, g->string_count, g->string_room) = (struct go_string){ .id = id, .at = (size_t)(p - f->buf), .len = (uint32_t)len };
		p += len;
	}
	return true;
}

/* `3 id frames (pc function file line)*` each. */
static bool read_stacks(struct go_file *f, size_t at, const unsigned char *end)
{
	const unsigned char *p = f->buf + at;
	struct go_gen *g = &f->gen;

	while (p < end) {
		const unsigned char *start = p;
		uint64_t id, frames, skip;

		if (*p != GO_STACK || !(p = go_number(p + 1, end, &id)) ||
			!(p = go_number(p, end, &frames)) || !id || frames > FRAMES_MAX)
			return go_fail(
				f, (size_t)(start - f->buf), "the table of stacks is malformed");
		if (g->stack_count == GO_ITEMS_MAX)
			return too_many(f, start);
		*ADD(g->stack, g->stack_count, g->stack_room) = (struct go_stack){ .id = id, .at = (size_t)(p - f->buf), .frames = (uint32_t)frames };
		for (uint64_t i = 0; i < 4 * frames && p; i++)
			p = go_number(p, end, &skip);
		if (!p)
			return go_fail(
				f, (size_t)(start - f->buf), "the table of stacks is malformed");
	}
	return true;
}

/* Ticks a second; once. */
static bool read_frequency(struct go_file *f, const unsigned char **p, const unsigned char *end)
{
	uint64_t hz;

	*p = go_number(*p + 1, end, &hz);
	if (!*p || !hz || f->gen.tick_ns > 0)
		return false;
	f->gen.tick_ns = 1.0 / ((double)hz / 1e9);
	if (f->gen.tick_ns < 1000 && f->gen.tick_ns == (double)(uint64_t)f->gen.tick_ns)
		f->gen.whole_ns = (uint64_t)f->gen.tick_ns, f->gen.whole_below = 1ull << 50;
	return true;
}

static bool read_clock(
	struct go_file *f, uint64_t base, const unsigned char **p, const unsigned char *end)
{
	struct go_gen *g = &f->gen;
	uint64_t dt, sec = 0, nsec = 0;

	if (g->has_clock || !(*p = go_number(*p + 1, end, &dt)) ||
		!(*p = go_number(*p, end, &g->mono)) || !(*p = go_number(*p, end, &sec)) ||
		!(*p = go_number(*p, end, &nsec)))
		return false;
	g->has_clock = true;
	g->clock_ticks = base + dt;
	g->wall = sec * 1000000000 + nsec;
	return true;
}

static bool read_sync(struct go_file *f, const struct go_batch *b)
{
	const unsigned char *p = f->buf + b->at, *end = p + b->len;
	bool good = true;

	if (*p == GO_FREQUENCY)
		good = read_frequency(f, &p, end) && p == end;
	else
		for (p++; good && p < end;)
			good = *p == GO_FREQUENCY ? read_frequency(f, &p, end) :
				*p == GO_CLOCK && read_clock(f, b->time, &p, end);
	return good || go_fail(f, b->at, "the generation's clock is malformed");
}

/* As many sites as there are stacks. */
static void index_low_stacks(struct go_gen *g)
{
	g->stack_low = g->stack_count + 1;
	if (g->stack_at_room < g->stack_low) {
		g->stack_at_room = 2 * g->stack_low;
		g->stack_at = need(realloc(g->stack_at, g->stack_at_room * sizeof(*g->stack_at)));
	}
	memset(g->stack_at, 0, g->stack_low * sizeof(*g->stack_at));
	for (size_t i = 0; i < g->stack_count; i++)
		if (g->stack[i].id < g->stack_low)
			g->stack_at[g->stack[i].id] = &g->stack[i];
}

static bool index_tables(struct go_file *f)
{
	struct go_gen *g = &f->gen;

	for (size_t i = 0; i < g->string_count; i++) {
		if (hash_find(&g->strings, g->string[i].id))
			return go_fail(f, g->string[i].at, "two strings have the number %" PRIu64,
				g->string[i].id);
		hash_add(&g->strings, g->string[i].id, &g->string[i]);
	}
	for (size_t i = 0; i < g->stack_count; i++) {
		const unsigned char *p = f->buf + g->stack[i].at;

		if (hash_find(&g->stacks, g->stack[i].id))
			return go_fail(f, g->stack[i].at, "two stacks have the number %" PRIu64,
				g->stack[i].id);
		hash_add(&g->stacks, g->stack[i].id, &g->stack[i]);
		for (uint32_t k = 0; k < 4 * g->stack[i].frames; k++) {
			uint64_t v = 0;

			p = go_number(p, f->buf + f->len, &v);
			if ((k % 4 == 1 || k % 4 == 2) && v && !hash_find(&g->strings, v))
				return go_fail(f, g->stack[i].at,
					"stack %" PRIu64 " refers to string %" PRIu64
					", which is missing",
					g->stack[i].id, v);
		}
	}
	index_low_stacks(g);
	return true;
}

bool go_tables(struct go_file *f)
{
	struct go_gen *g = &f->gen;
	size_t events = 0;

	for (size_t i = 0; i < g->batches; i++) {
		struct go_batch b = g->batch[i];
		unsigned first = f->buf[b.at];
		const unsigned char *end = f->buf + b.at + b.len;
		bool good = true;

		if (first == GO_STRINGS)
			good = read_strings(f, b.at + 1, end);
		else if (first == GO_STACKS)
			good = read_stacks(f, b.at + 1, end);
		else if (first == (f->minor < 25 ? GO_FREQUENCY : GO_SYNC))
			good = read_sync(f, &b);
		else
			g->batch[events++] = b;
		if (!good)
			return false;
	}
	g->batches = events;
	if (!(g->tick_ns > 0))
		return go_fail(f, f->pos, "nothing says how fast the generation's clock ticks");
	if (f->minor >= 25 && !g->has_clock)
		return go_fail(f, f->pos, "the generation has no clock snapshot");
	return index_tables(f);
}
