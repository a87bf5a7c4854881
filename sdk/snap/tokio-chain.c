/* tokio-chain.c - from a future to the one it awaits, and so on, by their types. Contracts in
 * tokio.h.
 *
 * What an async fn becomes is an enum of its .awaits; rustc gives the member of each the line of
 * the .await, and keeps what is awaited there under the name __awaitee.
 */
#include <stdio.h>
#include <string.h>

#include "tokio.h"

enum { DEEP = 48, WAITS_DEEP = 16, STEPS = 4096 };

static void waits_find(struct chain *, uint64_t at, Dwarf_Die *type, int depth);

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

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
	c->place[c->depth] = (struct place){ at, *fields };
	c->site[c->depth] =
		site_of(c->sites, name, die_file(member), die_number(member, DW_AT_decl_line, 0));
	if (!foreign(function_file(type)))
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
	if (die_member(&fields, "__awaitee", &offset, &next))
		chain_follow(c, fields_at + offset, &next, depth + 1);
	else if (!strcmp(die_name(&fields), "Unresumed") || !strcmp(die_name(&fields), "Returned"))
		c->leaf[0] = '\0';
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
		{ "ManuallyDrop<", "value" },
		{ "WithDispatch<", "inner" }, { "Box<", "__0" }, { "Unique<", "pointer" },
		{ "NonNull<", "pointer" },
		{ "AssertUnwindSafe<", "__0" }, { "CatchUnwind<", "future" },
		{ "TaskLocalFuture<", "future" }, { "IntoFuture<", "__0" },
		{ "Cancellable<", "future" },
	};

	for (size_t i = 0; i < sizeof(wraps) / sizeof(wraps[0]); i++)
		if (begins(name, wraps[i].type))
			return wraps[i].member;
	return NULL;
}

/* Is that a library's, whose members are what it waits on; or a closure of select! or join!? */
static bool transparent(Dwarf_Die *type)
{
	static const char *const libraries[] = {
		"tokio::", "core::", "alloc::", "std::", "mio::", "futures_util::", "futures_core::"
	};
	const char *name = die_name(type);
	char path[300];

	if (*name == '(' || begins(name, "&") || dwarf_tag(type) == DW_TAG_pointer_type)
		return true;
	if (begins(name, "{closure_env") &&
		(die_member(type, "futures", NULL, NULL) ||
			die_member(type, "_ref__futures", NULL, NULL)))
		return true;
	die_path(type, true, path, sizeof(path));
	if (begins(path, "tokio::runtime::") || begins(path, "mio::poll::") ||
		begins(path, "mio::sys::"))
		/* the runtime itself, which has all sockets and timers, and one epoll */
		return false;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (begins(path, libraries[i]))
			return true;
	return false;
}

/* An async fn among what is waited for: the innermost of its own. */
static void branch(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	struct chain in = {
		.target = c->target, .sites = c->sites, .task = c->task, .steps = c->steps,
		.semaphore = c->semaphore
	};

	chain_follow(&in, at, type, 1);
	c->steps = in.steps;
	for (size_t i = 0; i < in.waits; i++)
		wait_add(c, in.wait[i]);
}

static void members(struct chain *c, uint64_t at, Dwarf_Die *type, int depth)
{
	Dwarf_Die m, of;

	if (dwarf_child(type, &m))
		return;
	do
		if (dwarf_tag(&m) == DW_TAG_member && !dwarf_hasattr(&m, DW_AT_artificial) &&
			die_type(&m, &of))
			waits_find(c, at + die_number(&m, DW_AT_data_member_location, 0), &of,
				depth + 1);
	while (!dwarf_siblingof(&m, &m));
}

static void waits_find(struct chain *c, uint64_t at, Dwarf_Die *type, int depth)
{
	Dwarf_Die member, fields, of;
	uint64_t fields_at;

	if (depth > WAITS_DEEP || ++c->steps > STEPS)
		return;
	if (begins(die_name(type), "{async_")) {
		branch(c, at, type);
	} else if (dwarf_tag(type) == DW_TAG_pointer_type) {
		if (die_type(type, &of) && mem_word(c->target, at, &at))
			waits_find(c, at, &of, depth + 1);
	} else if (dwarf_tag(type) != DW_TAG_structure_type || wait_known(c, at, type) ||
		!transparent(type)) {
		return;
	} else if (die_variant(c->target, at, type, &member, &fields, &fields_at)) {
		waits_find(c, fields_at, &fields, depth + 1);
	} else {
		members(c, at, type, depth);
	}
}

static void name_fd(struct chain *c)
{
	bool wanted = c->waits == 1 && c->wait[0].kind == CTT_ON_FD && !c->wait[0].known;

	for (size_t i = c->depth; wanted && i-- > 0;) {
		struct chain in = { .target = c->target,
			.sites = c->sites,
			.task = c->task,
			.steps = c->steps };

		members(&in, c->place[i].at, &c->place[i].fields, 0);
		c->steps = in.steps;
		for (size_t n = 0; n < in.waits && wanted; n++)
			if (in.wait[n].kind == CTT_ON_FD && in.wait[n].known) {
				c->wait[0] = in.wait[n];
				wanted = false;
			}
	}
}

void chain_follow(struct chain *c, uint64_t at, Dwarf_Die *type, int depth)
{
	const char *name = die_name(type), *member;
	uint64_t offset = 0;
	Dwarf_Die of;

	if (depth > DEEP || ++c->steps > STEPS)
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
	if (member &&
		(die_member(type, member, &offset, &of) ||
			die_member(type, "pointer", &offset, &of) ||
			die_member(type, "__0", &offset, &of))) {
		chain_follow(c, at + offset, &of, depth + 1);
		return;
	}
	die_path(type, true, c->leaf, sizeof(c->leaf));
	waits_find(c, at, type, 0);
	name_fd(c);
}
