/* gotrace-events.h - a thread's events, one after the other, out of its batches. Inline, for all of a trace goes through
 * here. */
#ifndef GOTRACE_EVENTS_H
#define GOTRACE_EVENTS_H

#include "gotrace.h"

/* How many arguments follow the time, + 1 (0: no such event); which of them (bit 0: the first) are strings and stacks. */
extern const struct go_spec { uint8_t args, strings, stacks; } go_specs[256];
/* Both say what is wrong, and are false. */
bool go_bad_event(struct go_file *f, const struct go_cursor *c);
bool go_missing(struct go_file *f, const struct go_cursor *c, const char *what, uint64_t id);

#define GO_STOPS 0x8080808080808080ull		/* a byte without its top bit ends a number */
static inline uint64_t go_word(const unsigned char *p)
{
	uint64_t w;

	memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* A number of at most ten bytes and 64 bits: where it ends, or NULL. */
static inline const unsigned char *go_number(const unsigned char *p, const unsigned char *end, uint64_t *v)
{
	uint64_t n = 0;

	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		uint64_t b = *p++;

		if (shift == 63 && b > 1)
			return NULL;
		n |= (b & 0x7f) << shift;
		if (b < 0x80)
			return *v = n, p;
	}
	return NULL;
}

/* The same where 8 bytes can be read from p on; it looks for no end. */
static inline const unsigned char *go_number_fast(const unsigned char *p, uint64_t *v)
{
	uint64_t w, stop;

	if (p[0] < 0x80)
		return *v = p[0], p + 1;
	if (p[1] < 0x80)
		return *v = (p[0] & 0x7f) | (uint64_t)p[1] << 7, p + 2;
	w = go_word(p);
	stop = ~w & GO_STOPS;
	if (!stop)
		return go_number(p, p + 10, v);
	w &= stop ^ (stop - 1);
	w = (w & 0x007f007f007f007full) | (w & 0x7f007f007f007f00ull) >> 1;
	w = (w & 0x00003fff00003fffull) | (w & 0x3fff00003fff0000ull) >> 2;
	*v = (w & 0x0fffffffull) | (w & 0x0fffffff00000000ull) >> 4;
	return p + __builtin_ctzll(stop) / 8 + 1;
}

/* To the batch of that index + 1. False, and the cursor over, for 0. */
bool go_cursor_batch(struct go_file *f, struct go_cursor *c, size_t batch);

/* The next event into c->ev. False: there is none, and the cursor is over, or f->why. */
static inline bool go_cursor_next(struct go_file *f, struct go_cursor *c)
{
	const unsigned char *p;
	uint64_t dt;
	unsigned args;

	if (c->p == c->end && !go_cursor_batch(f, c, f->gen.batch[c->batch - 1].next))
		return false;
	c->at = p = c->p;	/* no batch is empty */
	c->ev.type = *p;
	args = go_specs[*p].args;
	if (!args)
		return go_bad_event(f, c);
	p = go_number_fast(p + 1, &dt);
	for (unsigned i = 0; i + 1 < args && p; i++)
		p = go_number_fast(p, &c->ev.arg[i]);
	if (!p || p > c->end)
		return go_bad_event(f, c);
	c->p = p;
	c->ev.time = c->last + go_ns(&f->gen, dt);
	if (c->ev.time > UINT64_MAX / 2)
		c->ev.time = UINT64_MAX / 2;
	c->last = c->ev.time;
	return true;
}

/* Are its strings and stacks there? The last of each is noted. */
static inline bool go_check_ids(struct go_file *f, struct go_cursor *c)
{
	unsigned strings = go_specs[c->ev.type].strings, stacks = go_specs[c->ev.type].stacks;

	c->ev.string = NULL;
	c->ev.stack = NULL;
	for (; stacks; stacks &= stacks - 1) {
		uint64_t id = c->ev.arg[__builtin_ctz(stacks)];

		c->ev.stack = go_find_stack(&f->gen, id);
		if (!c->ev.stack && id)
			return go_missing(f, c, "stack", id);
	}
	for (; strings; strings &= strings - 1) {
		uint64_t id = c->ev.arg[__builtin_ctz(strings)];

		c->ev.string = go_find(&f->gen.strings, id);
		if (!c->ev.string && id)
			return go_missing(f, c, "string", id);
	}
	return true;
}

/* From one event to the next, its numbers not read; NULL where there is something wrong. */
const unsigned char *go_skip(const unsigned char *p, const unsigned char *end);

#endif
