/* tokio-chain.c - from a future to the one it awaits, and so on, by their types. Contracts in
 * tokio.h.
 *
 * What an async fn becomes is an enum of its .awaits; rustc gives the member of each the line of
 * the .await, and keeps what is awaited there under the name __awaitee.
 */
#include <stdio.h>
#include <string.h>

#include "tokio.h"

enum { DEEP = 48 };

/* Not what people wrote themselves. */
static bool foreign(const char *file)
{
	return !*file || strstr(file, "/.cargo/") || strstr(file, "/cargo/registry/") ||
		strstr(file, "/rustc/") || strstr(file, "/rustlib/") || strstr(file, "/vendor/");
}

/* Its first line: what a macro of a library awaits is the function's that has the macro. */
static const char *function_file(Dwarf_Die *type)
{
	Dwarf_Die part, variant, member;

	if (!dwarf_child(type, &part))
		do
			if (dwarf_tag(&part) == DW_TAG_variant_part &&
				!dwarf_child(&part, &variant))
				do
					if (dwarf_tag(&variant) == DW_TAG_variant &&
						!dwarf_child(&variant, &member))
						return die_file(&member);
				while (!dwarf_siblingof(&variant, &variant));
		while (!dwarf_siblingof(&part, &part));
	return "";
}

static void add_site(
	struct chain *c, Dwarf_Die *type, Dwarf_Die *member, uint64_t at, Dwarf_Die *fields)
{
	char name[400];

	if (c->depth == STACK_DEPTH)
		return;
	future_name(type, name, sizeof(name));
	c->semaphore =
		begins(name, "tokio::sync::mutex::") || begins(name, "tokio::sync::rwlock::") ?
		CTT_ON_MUTEX :
		begins(name, "tokio::sync::mpsc::") ? CTT_ON_CHAN :
						      c->semaphore;
	c->watches = begins(name, "tokio::sync::watch::") && strstr(name, "::changed");
	c->place[c->depth] = (struct place){ at, *fields };
	c->site[c->depth] =
		site_of(c->sites, name, die_file(member), die_number(member, DW_AT_decl_line, 0));
	if (!foreign(function_file(type)) && !begins(name, "corotrace::"))
		c->own = c->site[c->depth];
	c->depth++;
}

/* A variant is named by number: 0 has never run, 1 returned, 2 panicked, 3 is at its first
 * .await. */
static void async_state(struct chain *c, uint64_t at, Dwarf_Die *type, int depth)
{
	Dwarf_Die member, fields, next;
	uint64_t fields_at, offset = 0;

	if (!die_variant(c->target, at, type, &member, &fields, &fields_at))
		return;
	c->unpolled |= !depth && !strcmp(die_name(&fields), "Unresumed");
	add_site(c, type, &member, fields_at, &fields);
	c->file = die_file(&member);
	if (die_member(&fields, "__awaitee", &offset, &next))
		chain_follow(c, fields_at + offset, &next, depth + 1);
	else
		c->over = !begins(die_name(&fields), "Suspend");
}

/* Behind a pointer; of a wide one what its table says. */
static bool behind(struct chain *c, uint64_t *at, Dwarf_Die *type)
{
	uint64_t data = 0, table = 0, vtable;
	Dwarf_Die pointer, none, of;
	const struct dyn *dyn;

	if (dwarf_tag(type) == DW_TAG_pointer_type)
		return mem_word(c->target, *at, at) && die_type(type, &of) && (*type = of, true);
	if (!die_member(type, "vtable", &table, &none) ||
		(!die_member(type, "pointer", &data, &pointer) &&
			!die_member(type, "data_ptr", &data, &pointer)) ||
		!mem_word(c->target, *at + table, &vtable) || !mem_word(c->target, *at + data, at))
		return false;
	dyn = dyn_with(vtable);
	if (dyn)
		*type = dyn->type;
	return dyn;
}

/* What has one future in it, and is pending as long as that is. */
static const char *wrapped(const char *name)
{
	static const struct { const char *type, *member; } wraps[] = {
		{ "Pin<", "__pointer" }, { "Pin<", "pointer" }, { "Instrumented<", "inner" },
		{ "ManuallyDrop<", "value" }, { "MaybeDangling<", "__0" },
		{ "WithDispatch<", "inner" }, { "Box<", "__0" }, { "Unique<", "pointer" },
		{ "NonNull<", "pointer" },
		{ "AssertUnwindSafe<", "__0" }, { "CatchUnwind<", "future" },
		{ "TaskLocalFuture<", "future" }, { "IntoFuture<", "__0" },
		{ "Cancellable<", "future" }, { "AsyncCallOnDrop<", "future" },
		{ "SupportTaskLocals<", "future" }, { "Coop<", "fut" },
		{ "Unconstrained<", "inner" },
	};

	for (size_t i = 0; i < sizeof(wraps) / sizeof(wraps[0]); i++)
		if (begins(name, wraps[i].type))
			return wraps[i].member;
	return NULL;
}

/* Where the probe has the future that it is put around. */
static const char *probed(Dwarf_Die *type)
{
	static const char *const members[] = { "inner", "future", "__0" };
	size_t i = 0;
	char path[16];

	if (!begins(die_path(type, false, path, sizeof(path)), "corotrace::"))
		return NULL;
	while (i < 3 && !die_member(type, members[i], NULL, NULL))
		i++;
	return i < 3 ? members[i] : NULL;
}

/* What is in a wrapper, which may have none any more. */
static void follow_wrapped(struct chain *c, uint64_t at, Dwarf_Die *type, int depth)
{
	Dwarf_Die member, some, of = *type;

	if (begins(die_name(type), "Option<") &&
		(!die_variant(c->target, at, type, &member, &some, &at) ||
			!die_member(&some, "__0", &at, &of)))
		return;
	chain_follow(c, at, &of, depth + 1);
}

void chain_follow(struct chain *c, uint64_t at, Dwarf_Die *type, int depth)
{
	const char *name = die_name(type), *member;
	uint64_t offset = 0;
	Dwarf_Die of;

	if (depth > DEEP || ++c->steps > CHAIN_STEPS)
		return;
	if (begins(name, "{async_")) {
		async_state(c, at, type, depth);
		return;
	}
	if (begins(name, "alloc::boxed::"))
		name += strlen("alloc::boxed::");
	of = *type;
	if (behind(c, &at, &of)) {
		locks_walk(c->target, c->task, at, &of);
		chain_follow(c, at, &of, depth + 1);
		return;
	}
	member = wrapped(name);
	if (!member)
		member = probed(type);
	if (member &&
		(die_member(type, member, &offset, &of) ||
			die_member(type, "pointer", &offset, &of) ||
			die_member(type, "__0", &offset, &of))) {
		follow_wrapped(c, at + offset, &of, depth);
		return;
	}
	die_path(type, true, c->leaf, sizeof(c->leaf));
	c->find(c, at, type, 0);
}
