/* events.h - a thread's events, one after the other, out of its batches. Inline, for all of a trace
 * goes through here. */
#ifndef GOTRACE_EVENTS_H
#define GOTRACE_EVENTS_H

#include "gotrace.h"

/* How many arguments follow the time, + 1 (0: no such event); which of them (bit 0: the first) are
 * strings and stacks. */
extern const struct go_spec { uint8_t args, strings, stacks; } go_specs[256];
/* Both say what is wrong, and are false. */
bool go_bad_event(struct go_file *f, const struct go_cursor *c) __attribute__((cold));
bool go_missing(struct go_file *f, const struct go_cursor *c, const char *what, uint64_t id)
	__attribute__((cold));

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
static inline const unsigned char *go_number(
	const unsigned char *p, const unsigned char *end, uint64_t *v)
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
	if (p[2] < 0x80)
		return *v = (p[0] & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14,
		       p + 3;
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

/* On to the next event: its type and time into c->ev, the rest not looked at. False: there is none,
 * and the cursor is over, or f->why. */
static inline bool go_cursor_next(struct go_file *f, struct go_cursor *c)
{
	const unsigned char *p;
	uint64_t dt;

	if (c->p == c->end && !go_cursor_batch(f, c, f->gen.batch[c->batch - 1].next))
		return false;
	c->at = p = c->p;	/* no batch is empty */
	c->ev.type = *p;
	p = go_number_fast(p + 1, &dt);
	if (!p)
		return go_bad_event(f, c);
	c->args = p;
	c->ev.time += go_ns(&f->gen, dt);
	if (c->ev.time > UINT64_MAX / 2)
		c->ev.time = UINT64_MAX / 2;
	return true;
}

/* Its arguments, of which there are `n` at most five. False: f->why. Where n is a constant, no loop
 * is left of it. */
static inline bool go_read_args(struct go_file *f, struct go_cursor *c, unsigned n)
{
	const unsigned char *p = c->args;
	uint64_t *arg = c->ev.arg;

	if ((n > 0 && !(p = go_number_fast(p, &arg[0]))) ||
		(n > 1 && !(p = go_number_fast(p, &arg[1]))) ||
		(n > 2 && !(p = go_number_fast(p, &arg[2]))) ||
		(n > 3 && !(p = go_number_fast(p, &arg[3]))) ||
		(n > 4 && !(p = go_number_fast(p, &arg[4]))) || p > c->end)
		return go_bad_event(f, c);
	c->p = p;
	return true;
}

/* Is what it refers to there? 0 refers to nothing. */
static inline bool go_check_stack(struct go_file *f, struct go_cursor *c, uint64_t id)
{
	c->ev.stack = go_find_stack(&f->gen, id);
	return c->ev.stack || !id || go_missing(f, c, "stack", id);
}
static inline bool go_check_string(struct go_file *f, struct go_cursor *c, uint64_t id)
{
	c->ev.string = hash_find(&f->gen.strings, id);
	return c->ev.string || !id || go_missing(f, c, "string", id);
}
/* All its strings and stacks; the last of each is noted. */
bool go_check_ids(struct go_file *f, struct go_cursor *c);

/* The first event from p on that reports a goroutine's status, others' numbers not read; NULL:
 * none, or there is something wrong. */
const unsigned char *go_find_status(const unsigned char *p, const unsigned char *end);

#endif
