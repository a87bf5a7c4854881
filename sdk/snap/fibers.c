/* fibers.c - stacks that swapcontext(3) switches: each is where its ucontext_t says.
 *
 * swapcontext writes into it where the floating point registers are kept, which is in that
 * structure itself: a word that has its own address plus a constant. No copy of a structure has
 * that. A fiber has a stack of its own there, by makecontext(3), and its stack pointer is in it; a
 * thread's own context, to which it will return, has none.
 *
 * x86-64 and glibc.
 */
#include <stdlib.h>
#include <string.h>

#include "cpp.h"
#include "die.h"
#include "snap.h"

/* In ucontext_t: the pointer, what it points to, the stack, the registers by their order there. */
enum { FP = 224, FP_AREA = 424, STACK = 16, STACK_SIZE = 32, REGS = 40, WHOLE = 936 };
enum { R12 = 4, R13, R14, R15, BP = 10, BX, SP = 15, IP };
enum { BATCH = 64, SMALLEST = 1024 };

struct batch {
	struct snapshot *s;
	struct thread thread[BATCH];	/* as if each fiber were one */
	uint64_t addr[BATCH];
	size_t count;
	size_t found;
};

static uint64_t reg(const struct target *t, uint64_t context, unsigned which)
{
	return mem_number(t, context + REGS + 8 * which, 8);
}

/* The thread that runs on that stack. */
static const struct thread *runner(const struct target *t, uint64_t stack, uint64_t size)
{
	for (size_t i = 0; i < t->threads; i++)
		if (t->thread[i].sp - stack < size)
			return &t->thread[i];
	return NULL;
}

/* The sites of one call, into `site`. *file: of the innermost function of all, which switches: the
 * first in another file is where the fiber is, as its program sees it. */
static size_t sites_at(
	struct snapshot *s, uint64_t pc, uint32_t site[INLINED], const char **file, uint32_t *own)
{
	Dwfl_Module *m = dwfl_addrmodule(s->target->dwfl, pc);
	struct source at[INLINED];
	size_t n = m ? sources_at(m, pc, at) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *func = at[i].func ? at[i].func : dwfl_module_addrname(m, pc);

		site[i] = site_of(s->sites, func, at[i].file, at[i].line);
		if (!*file)
			*file = at[i].file;
		else if (!*own && at[i].file && strcmp(at[i].file, *file))
			*own = site[i];
	}
	return n;
}

/* As far as they lie on its own stack. new: it stands at its first instruction, and not, as the
 * others, behind a call. */
static void set_stack(struct batch *b, size_t of, struct task *task, bool new)
{
	const struct target *t = b->s->target;
	const struct thread *th = &b->thread[of];
	uint64_t stack = mem_number(t, b->addr[of] + STACK, 8);
	uint64_t size = mem_number(t, b->addr[of] + STACK_SIZE, 8);
	uint32_t site[STACK_DEPTH + INLINED], own = 0;
	const char *file = NULL;
	size_t n = 0;

	for (size_t i = 0; i < th->calls && n < STACK_DEPTH && !(new && i); i++) {
		if (th->saved[i].sp - stack > size)
			break;
		n += sites_at(b->s, th->call[i] - (!i && !new), site + n, &file, &own);
	}
	n = n < STACK_DEPTH ? n : STACK_DEPTH;
	task->site = own ? own : n ? site[0] : 0;
	task->stack = n ? stack_of(b->s->sites, site, n) : 0;
}

/* At a function's first instruction it has not run yet. */
static bool is_new(const struct target *t, uint64_t pc)
{
	Dwfl_Module *m = dwfl_addrmodule(t->dwfl, pc);
	GElf_Off offset = 1;
	GElf_Sym symbol;

	return m && dwfl_module_addrinfo(m, pc, &offset, &symbol, NULL, NULL, NULL) && !offset;
}

static void add(struct batch *b, size_t i)
{
	struct target *t = b->s->target;
	uint64_t at = b->addr[i];
	const unsigned char *bytes = mem_at(t, at + REGS, 8 * (IP + 1));
	const struct thread *by = runner(
		t, mem_number(t, at + STACK, 8), mem_number(t, at + STACK_SIZE, 8));
	struct task *task = snap_task(b->s);

	task->addr = at;
	task->mark = mark_of(0, bytes, bytes ? 8 * (IP + 1) : 0);
	if (by) {		/* what is saved is of its last switch */
		task->state = TASK_RUNS;
		task->tid = by->tid;
		return;
	}
	if (is_new(t, reg(t, at, IP)))
		task->state = TASK_CREATED;
	set_stack(b, i, task, task->state == TASK_CREATED);
}

static void flush(struct batch *b)
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

/* Is one there that has a stack of its own? */
static bool is_fiber(const struct target *t, uint64_t at)
{
	uint64_t stack = mem_number(t, at + STACK, 8), size = mem_number(t, at + STACK_SIZE, 8);
	uint64_t whole = WHOLE;

	return size >= SMALLEST && reg(t, at, SP) - stack <= size &&
		dwfl_addrmodule(t->dwfl, reg(t, at, IP)) &&
		heap_chunk(at, &whole) != CHUNK_FREE;
}

static void add_fiber(struct batch *b, uint64_t at)
{
	const struct target *t = b->s->target;
	struct thread *th = &b->thread[b->count];

	memset(th, 0, sizeof(*th));
	th->tid = (uint32_t)b->count + 1;
	/* in the order of struct user_regs_struct */
	th->reg[0] = reg(t, at, R15);
	th->reg[1] = reg(t, at, R14);
	th->reg[2] = reg(t, at, R13);
	th->reg[3] = reg(t, at, R12);
	th->reg[4] = reg(t, at, BP);
	th->reg[5] = reg(t, at, BX);
	th->reg[16] = reg(t, at, IP);
	th->reg[19] = th->sp = reg(t, at, SP);
	b->addr[b->count++] = at;
	if (b->count == BATCH)
		flush(b);
}

static void read_fibers(struct snapshot *s)
{
	const struct target *t = s->target;
	struct batch *b = need(calloc(1, sizeof(*b)));

	b->s = s;
	heap_walk(t);
	for (size_t i = 0; i < t->runs; i++) {
		const struct run *r = &t->run[i];
		uint64_t word;

		for (uint64_t at = r->start; r->writable && at + 8 <= r->end; at += 8) {
			memcpy(&word, r->copy + (at - r->start), 8);
			if (word == at + FP_AREA - FP && is_fiber(t, at - FP))
				add_fiber(b, at - FP);
		}
	}
	if (b->count)
		flush(b);
	note("%zu fibers of swapcontext\n", b->found);
	heap_forget();
	free(b);
}

/* Is it called from there? Not libcrypto's own jobs, of which a program that has it knows nothing.
 */
static bool switches(Dwfl_Module *m)
{
	const char *file = NULL;
	int count = dwfl_module_getsymtab(m);
	GElf_Sym symbol;

	dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, &file, NULL);
	if (file && strstr(file, "/libcrypto"))
		return false;
	for (int i = 1; i < count; i++) {
		const char *name = dwfl_module_getsym(m, i, &symbol, NULL);

		if (name && symbol.st_shndx == SHN_UNDEF && !strncmp(name, "swapcontext", 11))
			return true;
	}
	return false;
}

static bool find(struct target *t, struct take *want)
{
	bool found = false;

	for (size_t i = 0; i < t->modules && !found; i++)
		found = t->module[i].dwfl && switches(t->module[i].dwfl);
	want->heap |= found;
	return found;
}

static void forget(void)
{
}

const struct runtime fiber_runtime = { "fibers of swapcontext", find, read_fibers, forget };
