/* fibers-libaco.c - libaco's coroutines: each an aco_t, on a stack that it may share with others.
 *
 * A stack has, at its upper end, the address of aco_funcp_protector_asm, where one would return to that did not
 * call aco_exit; the aco_share_stack_t refers to that word, and each aco_t to the aco_share_stack_t. So they are found
 * from there. A stack belongs to one at a time; what the others had on it is kept in their save_stack, and goes
 * back to the same addresses. Where the members are says the program's debug information; which register is
 * where, the code of acosw.
 *
 * x86-64.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "die.h"
#include "fibers.h"

static struct {
	bool known;
	struct switch_code code;
	uint64_t guard;				/* aco_funcp_protector_asm */
	uint64_t reg, main, fp, ended, saved, valid, shares;	/* members of an aco_t */
	uint64_t ptr, size, top, owner;		/* of an aco_share_stack_t */
} is;

static bool read_types(Dwarf_Die co)
{
	Dwarf_Die shares, stack;

	return die_member(&co, "reg", &is.reg, NULL) &&
		die_member(&co, "main_co", &is.main, NULL) &&
		die_member(&co, "fp", &is.fp, NULL) &&
		die_member(&co, "is_end", &is.ended, NULL) &&
		die_members(&co, "save_stack.ptr", &is.saved, NULL) &&
		die_members(&co, "save_stack.valid_sz", &is.valid, NULL) &&
		die_member(&co, "share_stack", &is.shares, &shares) && die_type(&shares, &stack) &&
		die_member(&stack, "ptr", &is.ptr, NULL) &&
		die_member(&stack, "sz", &is.size, NULL) &&
		die_member(&stack, "align_retptr", &is.top, NULL) &&
		die_member(&stack, "owner", &is.owner, NULL);
}

static bool find(struct target *t, struct take *want)
{
	static const char *const names[] = { "aco_s" };
	Dwfl_Module *m;
	Dwarf_Die co;

	memset(&is, 0, sizeof(is));
	is.guard = fiber_symbol(t, "aco_funcp_protector_asm", &m);
	if (!is.guard || !fiber_switch(t, "acosw", &is.code))
		return false;
	is.known = fiber_types(t, names, &co, 1) && read_types(co);
	die_forget();
	if (!is.known)
		note("libaco: no debug information of aco_t\n");
	want->heap |= is.known;
	return is.known;
}

/* What is at that address is in place, on its stack, unless another has that now. */
static void add(struct fibers *all, uint64_t at, uint64_t shared)
{
	const struct target *t = fibers_target(all);
	uint64_t regs = at + is.reg, pc = mem_number(t, regs + is.code.at[SAVED_PC], 8);
	uint64_t sp = mem_number(t, regs + is.code.at[SAVED_SP], 8);
	uint64_t fp = mem_number(t, at + is.fp, 8);
	const unsigned char *bytes = mem_at(t, regs, 8 * SAVED);
	struct fiber f = { .addr = at, .stack = mem_number(t, shared + is.ptr, 8),
		.size = mem_number(t, shared + is.size, 8), .ends = is.guard,
		.mark = mark_of(0, bytes, bytes ? 8 * SAVED : 0) };
	const struct thread *by = fiber_runner(t, f.stack, f.size);
	bool owns = mem_number(t, shared + is.owner, 8) == at;
	struct thread *th;

	f.fresh = pc == fp && sp == mem_number(t, shared + is.top, 8);
	f.tid = owns && by ? by->tid : 0;
	if (!owns && !f.fresh) {
		f.copy = mem_number(t, at + is.saved, 8);
		f.copied = mem_number(t, at + is.valid, 8);
	}
	if (sp - f.stack > f.size || !dwfl_addrmodule(t->dwfl, pc) ||
		f.copied > f.stack + f.size - sp)
		return;
	th = fibers_add(all, &f);
	fiber_registers(t, &is.code, regs, th);
}

static bool is_coroutine(const struct target *t, uint64_t at)
{
	uint64_t main = mem_number(t, at + is.main, 8), size = 0;

	return main && main != at && !mem_number(t, main + is.main, 8) &&
		!mem_number(t, main + is.shares, 8) && !mem_number(t, at + is.ended, 1) &&
		dwfl_addrmodule(t->dwfl, mem_number(t, at + is.fp, 8)) &&
		heap_chunk(at, &size) != CHUNK_FREE;
}

/* Passes over each word of memory that can be written: what one finds, the next one looks for. */
struct pass { const struct target *t; struct hash known, found; struct fibers *all; };
typedef void word_fn(struct pass *, uint64_t at, uint64_t word);
static void each_word(struct pass *p, word_fn *fn)
{
	for (size_t i = 0; i < p->t->runs; i++) {
		const struct run *r = &p->t->run[i];
		uint64_t word;

		for (uint64_t at = r->start; r->writable && at + 8 <= r->end; at += 8) {
			memcpy(&word, r->copy + (at - r->start), 8);
			if (word)
				fn(p, at, word);
		}
	}
	hash_free(&p->known);
	p->known = p->found;
	p->found = (struct hash){ 0 };
}

static void stack_end(struct pass *p, uint64_t at, uint64_t word)
{
	if (word == is.guard)
		hash_add(&p->found, at, p);
}

static void stack(struct pass *p, uint64_t at, uint64_t word)
{
	uint64_t s = at - is.top, from;

	if (!hash_find(&p->known, word))
		return;
	from = mem_number(p->t, s + is.ptr, 8);
	if (from < word && word - from < mem_number(p->t, s + is.size, 8))
		hash_add(&p->found, s, p);
}

static void coroutine(struct pass *p, uint64_t at, uint64_t word)
{
	if (hash_find(&p->known, word) && is_coroutine(p->t, at - is.shares))
		add(p->all, at - is.shares, word);
}

static void read_fibers(struct snapshot *s)
{
	struct pass p = { .t = s->target, .all = fibers_new(s) };

	heap_walk(s->target);
	each_word(&p, stack_end);
	each_word(&p, stack);
	each_word(&p, coroutine);
	hash_free(&p.known);
	note("%zu coroutines of libaco\n", fibers_end(p.all));
	heap_forget();
}

static void forget(void)
{
	is.known = false;
}

const struct runtime libaco_runtime = { "coroutines of libaco", find, read_fibers, forget, NULL };
