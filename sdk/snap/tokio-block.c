/* tokio-block.c - the futures of threads in block_on: the one that main is, above all. Contracts in
 * tokio.h.
 *
 * Such a future is no task, and has no header: it lies in a frame of that function, where its debug
 * information says. A future is moved there before it first runs, and what it was moved from looks like
 * one that has not: so the innermost that is suspended is the one.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tokio.h"

struct where {
	const struct target *t;
	const struct thread *th;
	size_t call;
	Dwarf_Addr pc, bias;
	uint64_t base;			/* what the function's variables are relative to */
	Dwarf_Die type;			/* of the future that was found */
	uint64_t at;
	bool found;
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

static bool place(const struct where *w, Dwarf_Die *d, unsigned attribute, uint64_t *v, bool *value)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t ops;

	return dwarf_attr_integrate(d, attribute, &a) &&
		dwarf_getlocation_addr(&a, w->pc, &op, &ops, 1) == 1 &&
		evaluate(w, op, ops, v, value);
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

/* The future itself, or Pin<&mut it>, &mut it. */
static void variable(struct where *w, Dwarf_Die *d)
{
	Dwarf_Die type, of;
	uint64_t at, offset = 0;
	bool value;

	if (!die_type(d, &type) || !place(w, d, DW_AT_location, &at, &value))
		return;
	if (begins(die_name(&type), "Pin<") &&
		(die_member(&type, "__pointer", &offset, &of) ||
			die_member(&type, "pointer", &offset, &of)))
		type = of;
	if (dwarf_tag(&type) == DW_TAG_pointer_type) {
		if ((!value && !mem_word(w->t, at, &at)) || !die_type(&type, &of))
			return;
		type = of;
	} else if (value) {
		return;
	}
	if (!suspended(w->t, at, &type))
		return;
	w->type = type;
	w->at = at;
	w->found = true;
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
			dwarf_haspc(&d, w->pc) == 1)
			scope(w, &d, depth + 1);
	} while (!dwarf_siblingof(&d, &d));
}

static bool in_call(struct where *w)
{
	uint64_t addr = w->th->call[w->call];
	Dwfl_Module *m = dwfl_addrmodule(w->t->dwfl, addr);
	const char *name = m ? dwfl_module_addrname(m, addr) : NULL;
	Dwarf_Die *unit = name && strstr(name, "8block_on") ? module_unit(m, addr, &w->bias) : NULL,
		  *scopes = NULL;
	int count;

	w->found = false;
	if (!unit)
		return false;
	w->pc = addr - w->bias;
	count = dwarf_getscopes(unit, w->pc, &scopes);
	for (int i = 0; i < count; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram &&
			dwarf_haspc(&scopes[i], w->pc) == 1 && set_base(w, &scopes[i])) {
			scope(w, &scopes[i], 0);
			break;
		}
	free(scopes);
	return w->found;
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
