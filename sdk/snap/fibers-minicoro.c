/* fibers-minicoro.c - minicoro's coroutines, each by its mco_coro, which a number marks.
 *
 * Behind it lies its context: the registers that _mco_switch stored as it left, and those of whoever resumed
 * it, which is a coroutine, too, where prev_co says so. Where the members are says the program's debug
 * information; which register is where, the code of _mco_switch.
 *
 * x86-64, by minicoro's own assembler.
 */
#include <string.h>

#include "die.h"
#include "fibers.h"

static const uint64_t magic = 0x7E3CB1A9;
enum { ALIGN = 16 };
static struct {
	bool known;
	struct switch_code code;
	uint64_t begins;			/* _mco_wrap_main: it has not run */
	uint64_t context, state, func, prev, stack, size, magic;	/* members of an mco_coro */
	uint64_t whole;				/* its size */
	uint64_t its, back;			/* of its context */
	uint64_t suspended, running, normal;	/* states */
} is;

static bool is_state(void *arg, Dwarf_Die *d)
{
	uint64_t value = die_number(d, DW_AT_const_value, UINT64_MAX);

	(void)arg;
	if (!strcmp(die_name(d), "MCO_SUSPENDED"))
		is.suspended = value;
	else if (!strcmp(die_name(d), "MCO_RUNNING"))
		is.running = value;
	else if (!strcmp(die_name(d), "MCO_NORMAL"))
		is.normal = value;
	return true;
}

static bool read_types(Dwarf_Die coro, Dwarf_Die context)
{
	Dwarf_Die state;

	is.suspended = is.running = is.normal = UINT64_MAX;
	if (!die_member(&coro, "context", &is.context, NULL) ||
		!die_member(&coro, "state", &is.state, &state) ||
		!die_member(&coro, "func", &is.func, NULL) ||
		!die_member(&coro, "prev_co", &is.prev, NULL) ||
		!die_member(&coro, "stack_base", &is.stack, NULL) ||
		!die_member(&coro, "stack_size", &is.size, NULL) ||
		!die_member(&coro, "magic_number", &is.magic, NULL) ||
		!die_member(&context, "ctx", &is.its, NULL) ||
		!die_member(&context, "back_ctx", &is.back, NULL))
		return false;
	die_children(&state, is_state, NULL);
	is.whole = die_size(&coro);
	return is.suspended != UINT64_MAX && is.running != UINT64_MAX && is.normal != UINT64_MAX;
}

static bool find(struct target *t, struct take *want)
{
	static const char *const names[] = { "mco_coro", "_mco_context" };
	Dwfl_Module *m;
	Dwarf_Die type[2];

	memset(&is, 0, sizeof(is));
	is.begins = fiber_symbol(t, "_mco_wrap_main", &m);
	if (!is.begins || !fiber_switch(t, "_mco_switch", &is.code))
		return false;
	is.known = fiber_types(t, names, type, 2) && read_types(type[0], type[1]);
	die_forget();
	if (!is.known)
		note("minicoro: no debug information of mco_coro and its context\n");
	want->heap |= is.known;
	return is.known;
}

/* It is one, whose context comes next, as the alignment has it, and then its stack; not a copy. */
static bool is_coroutine(const struct target *t, uint64_t at, uint64_t state)
{
	uint64_t context = mem_number(t, at + is.context, 8);
	uint64_t stack = mem_number(t, at + is.stack, 8);

	return mem_number(t, at + is.magic, 8) == magic &&
		mem_number(t, at + is.state, 4) == state &&
		context - at - is.whole < ALIGN && stack > context;
}

/* Its registers are at `regs`. */
static void add(struct fibers *all, uint64_t at, uint64_t regs, uint64_t awaits)
{
	const struct target *t = fibers_target(all);
	uint64_t pc = mem_number(t, regs + is.code.at[SAVED_PC], 8);
	uint64_t sp = mem_number(t, regs + is.code.at[SAVED_SP], 8);
	const unsigned char *bytes = mem_at(t, regs, 8 * SAVED);
	struct fiber f = { .addr = at, .stack = mem_number(t, at + is.stack, 8),
		.size = mem_number(t, at + is.size, 8), .fresh = pc == is.begins, .awaits = awaits,
		.mark = mark_of(0, bytes, bytes ? 8 * SAVED : 0) };
	struct thread *th;

	if (sp - f.stack > f.size || (!f.fresh && pc != is.code.goes_on))
		return;
	th = fibers_add(all, &f);
	fiber_registers(t, &is.code, regs, th);
	if (f.fresh)
		th->reg[16] = mem_number(t, at + is.func, 8);
}

static void add_running(struct fibers *all, uint64_t at)
{
	const struct target *t = fibers_target(all);
	struct fiber f = { .addr = at, .stack = mem_number(t, at + is.stack, 8),
		.size = mem_number(t, at + is.size, 8) };
	const struct thread *by = fiber_runner(t, f.stack, f.size);

	f.tid = by ? by->tid : 0;
	if (by)
		fibers_add(all, &f)->sp = by->sp;
}

static void look_at(struct fibers *all, uint64_t at)
{
	const struct target *t = fibers_target(all);
	uint64_t context = mem_number(t, at + is.context, 8), prev = mem_number(t, at + is.prev, 8);
	bool runs = is_coroutine(t, at, is.running);

	if (is_coroutine(t, at, is.suspended))
		add(all, at, context + is.its, 0);
	else if (runs)
		add_running(all, at);
	if (prev && (runs || is_coroutine(t, at, is.normal)) && is_coroutine(t, prev, is.normal))
		add(all, prev, context + is.back, at);
}

static void read_fibers(struct snapshot *s)
{
	const struct target *t = s->target;
	struct fibers *all = fibers_new(s);

	for (size_t i = 0; i < t->runs; i++) {
		const struct run *r = &t->run[i];
		uint64_t word;

		for (uint64_t at = r->start; r->writable && at + 8 <= r->end; at += 8) {
			memcpy(&word, r->copy + (at - r->start), 8);
			if (word == magic)
				look_at(all, at - is.magic);
		}
	}
	note("%zu coroutines of minicoro\n", fibers_end(all));
}

static void forget(void)
{
	is.known = false;
}

const struct runtime minicoro_runtime = { "coroutines of minicoro", find, read_fibers, forget, NULL };
