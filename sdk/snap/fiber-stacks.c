/* fiber-stacks.c - fibers, whose registers somebody found: each a task, with the calls on its stack.
 * Contracts in fibers.h. */
#include <stdlib.h>
#include <string.h>

#include "fibers.h"

enum { BATCH = 64, ENTRY = 3 };	/* so many calls of a library's that began a fiber, and no more */
struct fibers {
	struct snapshot *s;
	struct thread thread[BATCH];	/* as if each fiber were one */
	struct fiber fiber[BATCH];
	size_t count, found;
};

struct fibers *fibers_new(struct snapshot *s)
{
	struct fibers *b = need(calloc(1, sizeof(*b)));

	b->s = s;
	return b;
}

const struct target *fibers_target(const struct fibers *b)
{
	return b->s->target;
}

/* The sites of one call, into `site`. *file: of the innermost function of all, which switches: the
 * first in another file is where the fiber is, as its program sees it. Of a library whose files are
 * known by their names, the first in none of these. */
static size_t sites_at(struct fibers *b, const char *within, uint64_t pc, uint32_t site[INLINED],
	const char **file, uint32_t *own)
{
	Dwfl_Module *m = dwfl_addrmodule(b->s->target->dwfl, pc);
	struct source at[INLINED];
	size_t n = m ? sources_at(m, pc, at) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *func = at[i].func ? at[i].func : dwfl_module_addrname(m, pc);
		const char *in = at[i].file;

		site[i] = site_of(b->s->sites, func, in, at[i].line);
		if (in && !*own && (within ? !strstr(in, within) : *file && strcmp(in, *file)))
			*own = site[i];
		if (!*file)
			*file = in;
	}
	return n;
}

/* As far as they lie on its own stack. */
static void set_stack(struct fibers *b, size_t of, struct task *task)
{
	const struct thread *th = &b->thread[of];
	const struct fiber *f = &b->fiber[of];
	uint32_t site[STACK_DEPTH + INLINED], own = 0;
	const char *file = NULL;
	size_t n = 0;

	for (size_t i = 0; i < th->calls && n < STACK_DEPTH && !(f->fresh && i); i++) {
		if (th->saved[i].sp - f->stack > f->size)
			break;
		n += sites_at(b, f->within, th->call[i] - (!i && !f->fresh), site + n,
			&file, &own);
	}
	n = n < STACK_DEPTH ? n : STACK_DEPTH;
	if (f->within && !own && th->calls <= ENTRY)
		task->state = TASK_CREATED;
	task->site = own ? own : n ? site[0] : 0;
	task->stack = n ? stack_of(b->s->sites, site, n) : 0;
}

static void add(struct fibers *b, size_t i)
{
	const struct fiber *f = &b->fiber[i];
	struct task *task = snap_task(b->s);

	task->addr = f->addr;
	task->mark = f->mark;
	if (f->tid) {
		task->state = TASK_RUNS;
		task->tid = f->tid;
		return;
	}
	task->state = f->fresh ? TASK_CREATED : TASK_WAITS;
	set_stack(b, i, task);
}

static void flush(struct fibers *b)
{
	struct target as_threads = *b->s->target;

	as_threads.thread = b->thread;
	as_threads.threads = b->count;
	as_threads.unwound = false;
	unwind(&as_threads);
	for (size_t i = 0; i < b->count; i++)
		add(b, i);
	b->found += b->count;
	b->count = 0;
}

struct thread *fibers_add(struct fibers *b, const struct fiber *f)
{
	struct thread *th;

	if (b->count == BATCH)
		flush(b);
	th = &b->thread[b->count];
	memset(th, 0, sizeof(*th));
	th->tid = (uint32_t)b->count + 1;
	b->fiber[b->count++] = *f;
	return th;
}

size_t fibers_end(struct fibers *b)
{
	size_t found;

	if (b->count)
		flush(b);
	found = b->found;
	free(b);
	return found;
}
