/* events.c - what events have for arguments, and what is wrong with one. */
#include <inttypes.h>

#include "events.h"

#define A(n) ((n) + 1)
const struct go_spec go_specs[256] = {
	[GO_PROCS] = { A(2), 0, 2 },
	[GO_PROC_START] = { A(2), 0, 0 },
	[GO_PROC_STOP] = { A(0), 0, 0 },
	[GO_PROC_STEAL] = { A(3), 0, 0 },
	[GO_PROC_STATUS] = { A(2), 0, 0 },
	[GO_CREATE] = { A(3), 0, 6 },
	[GO_CREATE_SYSCALL] = { A(1), 0, 0 },
	[GO_START] = { A(2), 0, 0 },
	[GO_DESTROY] = { A(0), 0, 0 },
	[GO_DESTROY_SYSCALL] = { A(0), 0, 0 },
	[GO_STOP] = { A(2), 1, 2 },
	[GO_BLOCK] = { A(2), 1, 2 },
	[GO_UNBLOCK] = { A(3), 0, 4 },
	[GO_SYSCALL] = { A(2), 0, 2 },
	[GO_SYSCALL_END] = { A(0), 0, 0 },
	[GO_SYSCALL_END_BLOCKED] = { A(0), 0, 0 },
	[GO_STATUS] = { A(3), 0, 0 },
	[GO_STW] = { A(2), 1, 2 },
	[GO_STW_END] = { A(0), 0, 0 },
	[GO_GC_ACTIVE] = { A(1), 0, 0 },
	[GO_GC] = { A(2), 0, 2 },
	[GO_GC_END] = { A(1), 0, 0 },
	[GO_SWEEP_ACTIVE] = { A(1), 0, 0 },
	[GO_SWEEP] = { A(1), 0, 1 },
	[GO_SWEEP_END] = { A(2), 0, 0 },
	[GO_ASSIST_ACTIVE] = { A(1), 0, 0 },
	[GO_ASSIST] = { A(1), 0, 1 },
	[GO_ASSIST_END] = { A(0), 0, 0 },
	[GO_HEAP_ALLOC] = { A(1), 0, 0 },
	[GO_HEAP_GOAL] = { A(1), 0, 0 },
	[GO_LABEL] = { A(1), 1, 0 },
	[GO_TASK] = { A(4), 4, 8 },
	[GO_TASK_END] = { A(2), 0, 2 },
	[GO_REGION] = { A(3), 2, 4 },
	[GO_REGION_END] = { A(3), 2, 4 },
	[GO_LOG] = { A(4), 6, 8 },
	[GO_SWITCH] = { A(2), 0, 0 },
	[GO_SWITCH_DESTROY] = { A(2), 0, 0 },
	[GO_CREATE_BLOCKED] = { A(3), 0, 6 },
	[GO_STATUS_STACK] = { A(4), 0, 8 },
	[GO_ALLOC] = { A(3), 0, 0 },
	[GO_ALLOC + 1] = { A(3), 0, 0 },
	[GO_ALLOC + 2] = { A(1), 0, 0 },
	[GO_ALLOC + 3] = { A(2), 0, 0 },
	[GO_ALLOC + 4] = { A(2), 0, 0 },
	[GO_ALLOC + 5] = { A(1), 0, 0 },
	[GO_ALLOC + 6] = { A(2), 0, 0 },
	[GO_ALLOC + 7] = { A(2), 0, 0 },
	[GO_ALLOC_LAST] = { A(1), 0, 0 },
};

bool go_bad_event(struct go_file *f, const struct go_cursor *c)
{
	return go_specs[c->ev.type].args ?
		go_fail(f, (size_t)(c->at - f->buf),
			"event %u is cut off by its batch's end, or malformed", c->ev.type) :
		go_fail(f, (size_t)(c->at - f->buf), "event %u stands where none may", c->ev.type);
}

bool go_missing(struct go_file *f, const struct go_cursor *c, const char *what, uint64_t id)
{
	return go_fail(f, (size_t)(c->at - f->buf),
		"event %u refers to %s %" PRIu64 ", which is missing", c->ev.type, what, id);
}

bool go_check_ids(struct go_file *f, struct go_cursor *c)
{
	unsigned strings = go_specs[c->ev.type].strings, stacks = go_specs[c->ev.type].stacks;

	c->ev.string = NULL;
	c->ev.stack = NULL;
	for (; stacks; stacks &= stacks - 1)
		if (!go_check_stack(f, c, c->ev.arg[__builtin_ctz(stacks)]))
			return false;
	for (; strings; strings &= strings - 1)
		if (!go_check_string(f, c, c->ev.arg[__builtin_ctz(strings)]))
			return false;
	return true;
}

bool go_cursor_batch(struct go_file *f, struct go_cursor *c, size_t batch)
{
	const struct go_batch *b = batch ? &f->gen.batch[batch - 1] : NULL;

	c->batch = batch;
	if (!b)
		return false;
	c->p = f->buf + b->at;
	c->end = c->p + b->len;
	c->args = NULL;
	c->ev.time = go_ns(&f->gen, b->time);
	return true;
}

/* How many of eight bytes the first n numbers take, by which of the bytes end one; 0 = more. */
static unsigned char lengths[7][256];

static void count_lengths(void)
{
	for (unsigned n = 1; n < 7; n++)
		for (unsigned ends = 0; ends < 256; ends++)
			for (unsigned i = 0, found = 0; i < 8; i++)
				if (ends >> i & 1 && ++found == n)
					lengths[n][ends] = (unsigned char)(i + 1);
}

static const unsigned char *skip_long(const unsigned char *p, unsigned numbers)
{
	while (numbers) {
		uint64_t stop = ~go_word(p) & GO_STOPS;

		for (; stop && --numbers; stop &= stop - 1)
			;
		p += stop ? __builtin_ctzll(stop) / 8 + 1 : 8;
	}
	return p;
}

const unsigned char *go_find_status(const unsigned char *p, const unsigned char *end)
{
	if (!lengths[1][1])
		count_lengths();
	while (p < end && *p != GO_STATUS && *p != GO_STATUS_STACK) {
		unsigned numbers = go_specs[*p].args;	/* the time, and all but it */
		uint64_t stop = (~go_word(p + 1) & GO_STOPS) >> 7;
		unsigned len = lengths[numbers][stop * 0x0102040810204080ull >> 56];

		if (!numbers)
			return NULL;
		p = len ? p + 1 + len : skip_long(p + 1, numbers);
	}
	return p < end ? p : NULL;
}
