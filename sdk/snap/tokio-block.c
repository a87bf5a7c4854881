/* tokio-block.c - the futures of threads in block_on: the one that main is, above all. Contracts in
 * tokio.h.
 *
 * Such a future is no task, and has no header: it lies in a frame of that function, where its debug
 * information says. A future is moved there before it first runs, and what it was moved from looks like
 * one that has not: so the innermost that is suspended is the one. Of an optimised function the debug
 * information says it for some of its instructions only, but it stays in its place in the frame, as what
 * is pinned does: so all places count where the function ever has one, if one alone is suspended.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tokio.h"

struct where {
	const struct target *t;
	const struct thread *th;
	size_t call;
	Dwarf_Addr pc;
	uint64_t base;			/* what the function's variables are relative to */
	Dwarf_Die type;			/* of the future that was found */
	uint64_t at;
	bool anywhere;			/* for any instruction of the function, not only this one */
	bool found, several;
};

/* rbx, rbp, rsp in DWARF's numbers */
static bool reg(const struct where *w, unsigned number, uint64_t *v)
{
	const struct saved *s = &w->th->saved[w->call];

	*v = number == 3 ? s->bx : number == 6 ? s->bp : number == 7 ? s->sp : 0;
	return *v;
}

/* What the few operations give that such a place is made of. *value: that is the value, not where it
 * is. */
static bool evaluate(
	const struct where *w, const Dwarf_Op *op, size_t ops, uint64_t *v, bool *value)
{
	*value = false;
	for (size_t i = 0; i < ops; i++) {
		uint8_t a = op[i].atom;

		if (a == DW_OP_fbreg && !i)
			*v = w->base + op[i].number;
		else if (a >= DW_OP_breg0 && a <= DW_OP_breg31 && !i && reg(w, a - DW_OP_breg0, v))
			*v += op[i].number;
		else if (a >= DW_OP_reg0 && a <= DW_OP_reg31 && ops == 1 &&
			reg(w, a - DW_OP_reg0, v))
			*value = true;
		else if (a == DW_OP_plus_uconst && i)
			*v += op[i].number;
		else if (a == DW_OP_deref && i && mem_word(w->t, *v, v))
			continue;
		else if (a == DW_OP_stack_value && i)
			*value = true;
		else
			return false;
	}
	return ops;
}

/* What is relative to the frame holds for all of a function; registers and memory do not. */
static bool of_frame(const Dwarf_Op *op, size_t ops)
{
	bool value = ops > 1 && op[ops - 1].atom == DW_OP_stack_value;

	return (op[0].atom == DW_OP_fbreg || op[0].atom == DW_OP_breg7) &&
		ops == (value ? 2 : 1);
}

static void here(struct where *w, uint64_t at, bool value, Dwarf_Die *type);

/* Each place that the variable has, at this instruction or at any. */
static void places(struct where *w, Dwarf_Die *d, Dwarf_Die *type)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t ops;
	uint64_t at;
	bool value;

	if (!dwarf_attr_integrate(d, DW_AT_location, &a))
		return;
	if (!w->anywhere) {
		if (dwarf_getlocation_addr(&a, w->pc, &op, &ops, 1) == 1 &&
			evaluate(w, op, ops, &at, &value))
			here(w, at, value, type);
		return;
	}
	while ((next = dwarf_getlocations(&a, next, &base, &start, &end, &op, &ops)) > 0)
		if (ops && of_frame(op, ops) && evaluate(w, op, ops, &at, &value))
			here(w, at, value, type);
}

/* The frame's base is a register's value, or where the caller's frame begins. */
static bool set_base(struct where *w, Dwarf_Die *function)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t ops;

	if (!dwarf_attr_integrate(function, DW_AT_frame_base, &a) ||
		dwarf_getlocation_addr(&a, w->pc, &op, &ops, 1) != 1 || ops != 1)
		return false;
	if (op[0].atom == DW_OP_call_frame_cfa) {
		w->base = w->call + 1 < w->th->calls ? w->th->saved[w->call + 1].sp : 0;
		return w->base;
	}
	return op[0].atom >= DW_OP_reg0 && op[0].atom <= DW_OP_reg31 &&
		reg(w, op[0].atom - DW_OP_reg0, &w->base);
}

static bool suspended(const struct target *t, uint64_t at, Dwarf_Die *type)
{
	Dwarf_Die member, fields;
	uint64_t fields_at;

	return begins(die_name(type), "{async_") &&
		die_variant(t, at, type, &member, &fields, &fields_at) &&
		begins(die_name(&fields), "Suspend");
}

/* The future itself, or Pin<&mut it>, &mut it. A pointer that another instruction had there may be
 * no more. */
static void here(struct where *w, uint64_t at, bool value, Dwarf_Die *type)
{
	Dwarf_Die of = *type;

	if (dwarf_tag(&of) == DW_TAG_pointer_type) {
		if ((!value && (w->anywhere || !mem_word(w->t, at, &at))) || !die_type(type, &of))
			return;
	} else if (value) {
		return;
	}
	/* the runtime's own closures and futures around it have it by that name */
	for (int i = 0; i < 4 && !begins(die_name(&of), "{async_"); i++)
		if (!die_member(&of, "future", &at, &of))
			return;
	if (!suspended(w->t, at, &of))
		return;
	w->several |= w->anywhere && w->found && w->at != at;
	w->type = of;
	w->at = at;
	w->found = true;
}

static void variable(struct where *w, Dwarf_Die *d)
{
	uint64_t offset = 0;
	Dwarf_Die type, of;

	if (!die_type(d, &type))
		return;
	if (begins(die_name(&type), "Pin<") &&
		(die_member(&type, "__pointer", &offset, &of) ||
			die_member(&type, "pointer", &offset, &of)))
		type = of;
	places(w, d, &type);
}

/* The variables there, those of inlined functions last. */
static void scope(struct where *w, Dwarf_Die *in, int depth)
{
	Dwarf_Die d;

	if (depth > 32 || dwarf_child(in, &d))
		return;
	do {
		int tag = dwarf_tag(&d);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			variable(w, &d);
		else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
			(w->anywhere || dwarf_haspc(&d, w->pc) == 1))
			scope(w, &d, depth + 1);
	} while (!dwarf_siblingof(&d, &d));
}

static bool in_call(struct where *w)
{
	uint64_t addr = w->th->call[w->call];
	Dwfl_Module *m = dwfl_addrmodule(w->t->dwfl, addr);
	const char *name = m ? dwfl_module_addrname(m, addr) : NULL;
	Dwarf_Die function;
	Dwarf_Addr bias;

	w->found = w->several = w->anywhere = false;
	if (!name || !strstr(name, "5tokio7runtime") || !function_at(m, addr, &function, &bias))
		return false;
	w->pc = addr - bias;
	if (!set_base(w, &function))
		return false;
	scope(w, &function, 0);
	w->anywhere = !w->found;
	if (w->anywhere)
		scope(w, &function, 0);
	return w->found && !w->several;
}

bool blocked_future(const struct target *t, const struct thread *th, uint64_t *at, Dwarf_Die *type)
{
	struct where w = { .t = t, .th = th };

	for (; w.call < th->calls; w.call++)
		if (in_call(&w)) {
			*at = w.at;
			*type = w.type;
			return true;
		}
	return false;
}
