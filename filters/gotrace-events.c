/* gotrace-events.c - a thread's events, one after the other, out of its batches. */
#include <inttypes.h>
#include <string.h>

#include "gotrace.h"

/* How many arguments follow the time, + 1 (0: no such event); which of them (bit 0: the first) are strings and stacks. */
#define A(n) ((n) + 1)
static const struct { uint8_t args, strings, stacks; } specs[256] = {
	[GO_PROCS] = { A(2), 0, 2 }, [GO_PROC_START] = { A(2), 0, 0 }, [GO_PROC_STOP] = { A(0), 0, 0 },
	[GO_PROC_STEAL] = { A(3), 0, 0 }, [GO_PROC_STATUS] = { A(2), 0, 0 }, [GO_CREATE] = { A(3), 0, 6 },
	[GO_CREATE_SYSCALL] = { A(1), 0, 0 }, [GO_START] = { A(2), 0, 0 }, [GO_DESTROY] = { A(0), 0, 0 },
	[GO_DESTROY_SYSCALL] = { A(0), 0, 0 }, [GO_STOP] = { A(2), 1, 2 }, [GO_BLOCK] = { A(2), 1, 2 },
	[GO_UNBLOCK] = { A(3), 0, 4 }, [GO_SYSCALL] = { A(2), 0, 2 }, [GO_SYSCALL_END] = { A(0), 0, 0 },
	[GO_SYSCALL_END_BLOCKED] = { A(0), 0, 0 }, [GO_STATUS] = { A(3), 0, 0 }, [GO_STW] = { A(2), 1, 2 },
	[GO_STW_END] = { A(0), 0, 0 }, [GO_GC_ACTIVE] = { A(1), 0, 0 }, [GO_GC] = { A(2), 0, 2 }, [GO_GC_END] = { A(1), 0, 0 },
	[GO_SWEEP_ACTIVE] = { A(1), 0, 0 }, [GO_SWEEP] = { A(1), 0, 1 }, [GO_SWEEP_END] = { A(2), 0, 0 },
	[GO_ASSIST_ACTIVE] = { A(1), 0, 0 }, [GO_ASSIST] = { A(1), 0, 1 }, [GO_ASSIST_END] = { A(0), 0, 0 },
	[GO_HEAP_ALLOC] = { A(1), 0, 0 }, [GO_HEAP_GOAL] = { A(1), 0, 0 }, [GO_LABEL] = { A(1), 1, 0 },
	[GO_TASK] = { A(4), 4, 8 }, [GO_TASK_END] = { A(2), 0, 2 }, [GO_REGION] = { A(3), 2, 4 },
	[GO_REGION_END] = { A(3), 2, 4 }, [GO_LOG] = { A(4), 6, 8 }, [GO_SWITCH] = { A(2), 0, 0 },
	[GO_SWITCH_DESTROY] = { A(2), 0, 0 }, [GO_CREATE_BLOCKED] = { A(3), 0, 6 }, [GO_STATUS_STACK] = { A(4), 0, 8 },
	[GO_ALLOC] = { A(3), 0, 0 }, [GO_ALLOC + 1] = { A(3), 0, 0 }, [GO_ALLOC + 2] = { A(1), 0, 0 },
	[GO_ALLOC + 3] = { A(2), 0, 0 }, [GO_ALLOC + 4] = { A(2), 0, 0 }, [GO_ALLOC + 5] = { A(1), 0, 0 },
	[GO_ALLOC + 6] = { A(2), 0, 0 }, [GO_ALLOC + 7] = { A(2), 0, 0 }, [GO_ALLOC_LAST] = { A(1), 0, 0 },
};

static void enter(struct go_file *f, struct go_cursor *c, size_t batch)
{
	const struct go_batch *b = &f->gen.batch[batch - 1];

	c->batch = batch;
	c->p = f->buf + b->at;
	c->end = c->p + b->len;
	c->last = go_ns(&f->gen, b->time);
}

void go_cursor_begin(struct go_file *f, struct go_cursor *c, size_t batch)
{
	*c = (struct go_cursor){ .batch = 0 };
	enter(f, c, batch);
}

bool go_cursor_next(struct go_file *f, struct go_cursor *c)
{
	const unsigned char *p = c->p;
	uint64_t dt;
	unsigned args;

	if (p == c->end) {
		size_t next = f->gen.batch[c->batch - 1].next;

		if (!next) {
			c->batch = 0;
			return false;
		}
		enter(f, c, next);	/* never empty */
		p = c->p;
	}
	c->at = p;
	c->ev.type = *p;
	args = specs[*p].args;
	if (!args)
		return go_fail(f, (size_t)(p - f->buf), "event %u stands where none may", c->ev.type);
	p = go_number_fast(p + 1, &dt);
	for (unsigned i = 0; i + 1 < args && p; i++)
		p = go_number_fast(p, &c->ev.arg[i]);
	if (!p || p > c->end)
		return go_fail(f, (size_t)(c->at - f->buf), "event %u is cut off by its batch's end, or malformed", c->ev.type);
	c->p = p;
	c->ev.time = c->last + go_ns(&f->gen, dt);
	if (c->ev.time > UINT64_MAX / 2)
		c->ev.time = UINT64_MAX / 2;
	c->last = c->ev.time;
	return true;
}

static bool missing(struct go_file *f, const struct go_cursor *c, const char *what, uint64_t id)
{
	return go_fail(f, (size_t)(c->at - f->buf), "event %u refers to %s %" PRIu64 ", which is missing", c->ev.type, what, id);
}

bool go_check_ids(struct go_file *f, struct go_cursor *c)
{
	unsigned strings = specs[c->ev.type].strings, stacks = specs[c->ev.type].stacks;

	c->ev.string = NULL;
	c->ev.stack = NULL;
	for (; stacks; stacks &= stacks - 1) {
		uint64_t id = c->ev.arg[__builtin_ctz(stacks)];

		c->ev.stack = go_find_stack(&f->gen, id);
		if (!c->ev.stack && id)
			return missing(f, c, "stack", id);
	}
	for (; strings; strings &= strings - 1) {
		uint64_t id = c->ev.arg[__builtin_ctz(strings)];

		c->ev.string = go_find(&f->gen.strings, id);
		if (!c->ev.string && id)
			return missing(f, c, "string", id);
	}
	return true;
}
