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
		if (th->saved[i].sp - f->stack > f->size || (f->ends && th->call[i] == f->ends - 1))
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
	if (f->awaits)
		task->on = (struct wait_on){ .kind = CTT_ON_CORO, .known = true, .frame = true,
			.value = f->awaits };
	set_stack(b, i, task);
}

/* Memory as it is while that one runs, whose stack is kept elsewhere: the runs, to be freed; NULL: as it is now. */
static struct run *in_place(struct target *t, const struct fiber *f, uint64_t sp)
{
	const unsigned char *kept = f->copied ? mem_at(t, f->copy, f->copied) : NULL;
	struct run *all;
	size_t n = 0, i = 0;

	if (!kept)
		return NULL;
	all = need(calloc(t->runs + 2, sizeof(*all)));
	for (; i < t->runs && t->run[i].start < sp; i++)
		all[n++] = t->run[i];
	if (n && all[n - 1].end > sp)
		all[n - 1].end = sp;
	all[n++] = (struct run){ .start = sp, .end = sp + f->copied, .copy = kept };
	for (i -= i > 0; i < t->runs; i++) {
		struct run r = t->run[i];

		if (r.end <= sp + f->copied)
			continue;
		if (r.start < sp + f->copied) {
			r.copy += sp + f->copied - r.start;
			r.start = sp + f->copied;
		}
		all[n++] = r;
	}
	t->run = all;
	t->runs = n;
	return all;
}

static void flush(struct fibers *b)
{
	struct target as_threads = *b->s->target;
	struct run *placed = in_place(&as_threads, &b->fiber[0], b->thread[0].sp);

	if (b->fiber[0].copied && !placed)
		b->fiber[0].size = 0;		/* what is there is another's */
	as_threads.thread = b->thread;
	as_threads.threads = b->count;
	as_threads.unwound = false;
	unwind(&as_threads);
	free(placed);
	for (size_t i = 0; i < b->count; i++)
		add(b, i);
	b->found += b->count;
	b->count = 0;
}

struct thread *fibers_add(struct fibers *b, const struct fiber *f)
{
	struct thread *th;

	/* one whose stack is kept elsewhere goes by itself */
	if (b->count == BATCH || (b->count && (f->copied || b->fiber[b->count - 1].copied)))
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
