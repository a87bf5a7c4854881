/* gotrace-events.c - what events have for arguments, and what is wrong with one. */
#include <inttypes.h>

#include "gotrace-events.h"

#define A(n) ((n) + 1)
const struct go_spec go_specs[256] = {
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

bool go_bad_event(struct go_file *f, const struct go_cursor *c)
{
	return go_specs[c->ev.type].args ?
		go_fail(f, (size_t)(c->at - f->buf), "event %u is cut off by its batch's end, or malformed", c->ev.type) :
		go_fail(f, (size_t)(c->at - f->buf), "event %u stands where none may", c->ev.type);
}

bool go_missing(struct go_file *f, const struct go_cursor *c, const char *what, uint64_t id)
{
	return go_fail(f, (size_t)(c->at - f->buf), "event %u refers to %s %" PRIu64 ", which is missing", c->ev.type, what, id);
}

bool go_cursor_batch(struct go_file *f, struct go_cursor *c, size_t batch)
{
	const struct go_batch *b = batch ? &f->gen.batch[batch - 1] : NULL;

	c->batch = batch;
	if (!b)
		return false;
	c->p = f->buf + b->at;
	c->end = c->p + b->len;
	c->last = go_ns(&f->gen, b->time);
	return true;
}

const unsigned char *go_skip(const unsigned char *p, const unsigned char *end)
{
	unsigned numbers = go_specs[*p].args;	/* the time, and all but it */

	if (!numbers)
		return NULL;
	for (p++; numbers;) {
		uint64_t stop = ~go_word(p) & GO_STOPS;

		for (; stop && --numbers; stop &= stop - 1)
			;
		p += stop ? __builtin_ctzll(stop) / 8 + 1 : 8;
	}
	return p <= end ? p : NULL;
}
