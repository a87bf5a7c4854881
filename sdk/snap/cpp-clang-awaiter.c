/* cpp-clang-awaiter.c - which awaiter each co_await has, and where it lies in the frame, of
 * clang's. Contracts in cpp.h.
 *
 * await_suspend() begins behind the instruction that writes a co_await's number into the frame.
 * Where it was inlined or its call is described, debug information says where `this` is, by the
 * register that the number was written by. Else the awaiter is the frame's member that is called as
 * its class is. Before clang 18 an optimiser may keep no awaiter but its members, apart: the class is
 * all that is known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cpp.h"

enum { NEAR = 64 };		/* bytes of code */

struct suspension {
	struct kind *kind;
	Dwarf_Addr pc, bias;	/* in the file */
	unsigned regs;		/* a bit for each that has the frame's address */
	int line;
	struct awaiter found;
	uint64_t distance;	/* of what was inlined */
	bool typed, placed;
};

/* Is that code behind the instruction? */
static bool is_near(const struct suspension *s, Dwarf_Addr low, Dwarf_Addr high)
{
	return low <= s->pc + NEAR && high > s->pc;
}

/* What is nearest counts: that of the end of the coroutine may stand at the same line. */
static bool is_nearest(struct suspension *s, Dwarf_Die *code)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(code, at, &base, &low, &high)) > 0) {
		uint64_t distance = low > s->pc ? low - s->pc : s->pc - low;

		if (!is_near(s, low, high) || distance > s->distance)
			continue;
		if (distance < s->distance)
			s->typed = s->placed = false;
		s->distance = distance;
		return true;
	}
	return false;
}

/* Is `this` at reg + n from there on; or stored at reg + n? */
static bool read_place(struct suspension *s, const Dwarf_Op *op, size_t ops)
{
	enum { LARGEST = 1 << 20 };	/* where no type of the frame is left */
	bool value = ops == 2 && op[1].atom == DW_OP_stack_value;

	if (!ops || op[0].atom < DW_OP_breg0 || op[0].atom > DW_OP_breg15 ||
		!(s->regs >> (op[0].atom - DW_OP_breg0) & 1) || (ops > 1 && !value) ||
		op[0].number >= (s->kind->size ? s->kind->size : LARGEST))
		return false;
	s->found.at = op[0].number;
	s->found.elsewhere = !value;
	s->placed = true;
	return true;
}

/* Is it in that register, where the instruction before put it: lea n(frame), register? */
static bool read_lea(struct suspension *s, Dwarf_Addr low, unsigned reg)
{
	static const unsigned char numbers[] = { 0, 2, 1, 3, 7, 6, 4, 5 };	/* DWARF's */
	enum { LONGEST = 8 };
	const unsigned char *code = kind_code(s->kind, low + s->bias - LONGEST, LONGEST);

	for (unsigned len = 4; code && len <= LONGEST; len++) {
		const unsigned char *p = code + LONGEST - len;
		unsigned mod = p[2] >> 6, to = p[2] >> 3 & 7, from = p[2] & 7, sib = from == 4;
		int32_t n;

		if ((p[0] & 0xf8) != 0x48 || p[1] != 0x8d || (mod != 1 && mod != 2) ||
			len != (mod == 1 ? 4 : 7) + sib || (sib && p[3] != 0x24))
			continue;
		n = (int8_t)p[3 + sib];
		if (mod == 2)
			memcpy(&n, p + 3 + sib, sizeof(n));
		to = p[0] & 4 ? to + 8 : numbers[to];
		from = p[0] & 1 ? from + 8 : numbers[from];
		if (to != reg || !(s->regs >> from & 1) || n < 0)
			continue;
		s->found.at = (uint64_t)n;
		s->found.elsewhere = false;
		return s->placed = true;
	}
	return false;
}

static void find_place(struct suspension *s, Dwarf_Attribute *location)
{
	ptrdiff_t at = 0;
	Dwarf_Addr base, low, high;
	Dwarf_Op *op;
	size_t ops;

	while (!s->placed &&
		(at = dwarf_getlocations(location, at, &base, &low, &high, &op, &ops)) > 0)
		if (is_near(s, low, high) && !read_place(s, op, ops) && ops == 1 && low &&
			op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg15)
			read_lea(s, low, op->atom - DW_OP_reg0);
}

/* A call's parameter: its value is the place. */
static bool parameter_value(void *arg, Dwarf_Die *d)
{
	struct suspension *s = arg;
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t ops;

	if (dwarf_tag(d) != DW_TAG_call_site_parameter || !dwarf_attr(d, DW_AT_location, &a) ||
		dwarf_getlocation(&a, &op, &ops) || ops != 1 || op[0].atom != DW_OP_reg5 ||
		!dwarf_attr(d, DW_AT_call_value, &a) || dwarf_getlocation(&a, &op, &ops))
		return true;
	if (ops == 1 && read_place(s, op, ops))
		s->found.elsewhere = false;
	return false;
}

/* The handle that it is given is the frame's address, maybe in another register by then. */
static void find_register(struct suspension *s, Dwarf_Die *handle)
{
	ptrdiff_t at = 0;
	Dwarf_Addr base, low, high;
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t ops;

	while (dwarf_attr(handle, DW_AT_location, &a) &&
		(at = dwarf_getlocations(&a, at, &base, &low, &high, &op, &ops)) > 0)
		if (is_near(s, low, high) && ops == 1 && op->atom >= DW_OP_reg0 &&
			op->atom <= DW_OP_reg15)
			s->regs |= 1u << (op->atom - DW_OP_reg0);
}

/* Its parameter `this`, of what it was made from where nothing is left of it: which may lead round. */
static bool find_this(Dwarf_Die *function, Dwarf_Die *this)
{
	enum { MOST = 16 };
	Dwarf_Attribute a;
	Dwarf_Die in = *function;

	for (int i = 0; i < MOST; i++) {
		if (!dwarf_child(&in, this))
			do
				if (dwarf_tag(this) == DW_TAG_formal_parameter &&
					!strcmp(die_name(this), "this"))
					return true;
			while (!dwarf_siblingof(this, this));
		if (!dwarf_attr(&in, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &in))
			return false;
	}
	return false;
}

/* The class of the object that a member function is of. */
static bool take_class(struct suspension *s, Dwarf_Die *function, Dwarf_Die *this)
{
	Dwarf_Die pointer;

	s->typed |= find_this(function, this) && die_type(this, &pointer) &&
		die_type(&pointer, &s->found.type);
	return s->typed;
}

/* The awaiter, and the handle; or, of the function that clang 18 and later put around it, the
 * frame. */
static void take_parameters(struct suspension *s, Dwarf_Die *function)
{
	Dwarf_Die c, first = { .addr = NULL };
	Dwarf_Attribute a;

	if (dwarf_child(function, &c))
		return;
	do
		if (dwarf_tag(&c) == DW_TAG_formal_parameter && first.addr)
			find_register(s, &c);
		else if (dwarf_tag(&c) == DW_TAG_formal_parameter)
			first = c;
	while (!dwarf_siblingof(&c, &c));
	if (first.addr && dwarf_attr(&first, DW_AT_location, &a))
		find_place(s, &a);
}

static void find_suspend(struct suspension *s, Dwarf_Die *in, int depth);

static void take_call(struct suspension *s, Dwarf_Die *call)
{
	Dwarf_Attribute a;
	Dwarf_Die callee, this;
	Dwarf_Addr back;
	const char *file;
	int line, column;

	if (!dwarf_attr(call, DW_AT_call_origin, &a) || !dwarf_formref_die(&a, &callee) ||
		strcmp(die_name(&callee), "await_suspend") ||
		!dwarf_attr(call, DW_AT_call_return_pc, &a) || dwarf_formaddr(&a, &back) ||
		!code_line(s->kind, back + s->bias - 1, &file, &line, &column) ||
		line != s->line)
		return;
	if (take_class(s, &callee, &this))
		die_children(call, parameter_value, s);
}

static bool is_around(Dwarf_Die *inlined)
{
	Dwarf_Attribute a;
	const char *name = dwarf_attr_integrate(inlined, DW_AT_linkage_name, &a) ?
		dwarf_formstring(&a) : NULL;

	return name && strstr(name, ".__await_suspend_wrapper__");
}

static void take_inlined(struct suspension *s, Dwarf_Die *inlined, int depth)
{
	Dwarf_Die this;
	bool here = die_number(inlined, DW_AT_call_line, 0) == (uint64_t)s->line;

	if (here && !strcmp(die_name(inlined), "await_suspend") && is_nearest(s, inlined)) {
		take_parameters(s, inlined);
		take_class(s, inlined, &this);
		return;
	}
	if (here && is_around(inlined) && is_nearest(s, inlined))
		take_parameters(s, inlined);
	find_suspend(s, inlined, depth + 1);
}

static void find_suspend(struct suspension *s, Dwarf_Die *in, int depth)
{
	Dwarf_Die c;

	if (depth > 8 || dwarf_child(in, &c))
		return;
	do
		if (dwarf_tag(&c) == DW_TAG_call_site)
			take_call(s, &c);
		else if (dwarf_tag(&c) == DW_TAG_inlined_subroutine)
			take_inlined(s, &c, depth);
		else if (dwarf_tag(&c) == DW_TAG_lexical_block)
			find_suspend(s, &c, depth + 1);
	while (!dwarf_siblingof(&c, &c));
}

/* Functions by address, each looked for once: a unit may have many. */
struct function { Dwarf_Die die; Dwarf_Addr bias; bool found; };
static struct hash functions;

static const struct function *function_of(const struct kind *k, uint64_t addr)
{
	struct function *f = hash_find(&functions, addr);

	if (!f) {
		f = need(calloc(1, sizeof(*f)));
		f->found = function_at(k->module, addr, &f->die, &f->bias);
		hash_add(&functions, addr, f);
	}
	return f->found ? f : NULL;
}

void awaiter_forget(void)
{
	struct function *f;

	for (size_t at = 0; (f = hash_each(&functions, &at));)
		free(f);
	hash_free(&functions);
}

/* Its own function is called: the class is of that. False: it is not that call. */
static bool take_called(
	struct suspension *s, uint64_t addr, const unsigned char *code, const char *function)
{
	uint64_t target;
	const char *name = code_call(s->kind, addr, code, &target), *file;
	int line, column;
	const struct function *callee;
	Dwarf_Die this, die;

	if (!name || !strstr(name, function))
		return false;
	callee = code_line(s->kind, addr, &file, &line, &column) && line == s->line ?
		function_of(s->kind, target) : NULL;
	if (callee) {
		die = callee->die;
		take_class(s, &die, &this);
	}
	return true;
}

static void find_called(struct suspension *s)
{
	uint64_t addr = s->pc + s->bias;
	const unsigned char *text = kind_code(s->kind, addr, NEAR);

	for (size_t i = 0; text && i + 5 <= NEAR && !s->typed; i++)
		if (take_called(s, addr + i, text + i, "await_suspend"))
			return;
}

/* Not optimised: await_ready() was called before. */
static void find_ready(struct suspension *s, uint64_t start)
{
	uint64_t size = s->pc + s->bias - start;
	const unsigned char *text = kind_code(s->kind, start, size);

	for (size_t i = text && size > 5 ? size - 5 : 0; i-- > 0;)
		if (take_called(s, start + i, text + i, "await_ready"))
			return;
}

static bool same_place(const struct awaiter *a, const struct awaiter *b)
{
	return a->apart == b->apart &&
		(a->apart || (a->at == b->at && a->elsewhere == b->elsewhere));
}

/* One number that was found to have two awaiters has none that is known. */
static void keep(struct kind *k, const struct awaiter *new)
{
	for (size_t i = 0; i < k->awaiters; i++)
		if (k->awaiter[i].order == new->order) {
			k->awaiter[i].unknown |= !same_place(&k->awaiter[i], new);
			return;
		}
	*ADD(k->awaiter, k->awaiters, k->awaiter_room) = *new;
}

bool kind_function(const struct kind *k, uint64_t start, Dwarf_Die *function, Dwarf_Addr *bias)
{
	const struct function *f;

	if (start == k->resume) {
		*function = k->function;
		return dwfl_module_getdwarf(k->module, bias);
	}
	f = function_of(k, start);
	if (f) {
		*function = f->die;
		*bias = f->bias;
	}
	return f;
}

void awaiter_clang(struct kind *k, struct suspended_by by)
{
	struct suspension s = { .kind = k, .regs = 1u << by.reg, .line = by.line,
		.distance = UINT64_MAX };
	Dwarf_Die function;

	if (!kind_function(k, by.start, &function, &s.bias))
		return;
	s.pc = by.pc - s.bias;
	s.found.order = by.index;
	find_suspend(&s, &function, 0);
	if (s.placed && !s.typed)
		find_called(&s);
	if (!s.typed)
		find_ready(&s, by.start);
	s.found.apart = !s.placed;
	if (s.typed)
		keep(k, &s.found);
}
