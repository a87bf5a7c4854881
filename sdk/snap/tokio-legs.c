/* tokio-legs.c - what a future that is no async fn waits on, by its members: one thing, or several,
 * as select! and join! do. Contracts in tokio.h.
 *
 * Only into the futures of libraries that are known is looked: what some other keeps is not what it
 * waits on. Each of several is followed by itself, and one of which nothing is known is told, too:
 * that may be what wakes the task.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokio.h"

enum { WAITS_DEEP = 16 };

/* MaybeDone::Future, of what join! polls; false: it is done. */
static bool still_polled(const struct target *t, uint64_t *at, Dwarf_Die *type)
{
	Dwarf_Die member, fields, m, of;
	uint64_t fields_at;

	if (!begins(die_name(type), "MaybeDone<") && !begins(die_name(type), "TryMaybeDone<"))
		return true;
	if (!die_variant(t, *at, type, &member, &fields, &fields_at) ||
		strcmp(die_name(&fields), "Future") || dwarf_child(&fields, &m))
		return false;
	do
		if (dwarf_tag(&m) == DW_TAG_member && die_type(&m, &of)) {
			*at = fields_at + die_number(&m, DW_AT_data_member_location, 0);
			*type = of;
			return true;
		}
	while (!dwarf_siblingof(&m, &m));
	return false;
}

/* Does it wait for all, and not for the first that fails, too? Of macros the file says it. */
static bool waits_for_all(const struct chain *c, Dwarf_Die *maybe)
{
	size_t len = c->file ? strlen(c->file) : 0;
	Dwarf_Die d, output;

	if (!begins(die_name(maybe), "MaybeDone<"))
		return false;
	if (len > 8 && !strcmp(c->file + len - 8, "/join.rs"))
		return true;
	if (!dwarf_child(maybe, &d))
		do
			if (!strcmp(die_name(&d), "Done") &&
				(die_member(&d, "output", NULL, &output) ||
					die_member(&d, "__0", NULL, &output)))
				return !begins(die_name(&output), "Result<");
		while (!dwarf_siblingof(&d, &d));
	return false;
}

/* One of those that are polled together. `all`: whether all are waited for, so far. */
static void element(struct chain *c, uint64_t at, Dwarf_Die *type, bool *all)
{
	size_t legs = c->ways->legs, joined = c->ways->joined;
	Dwarf_Die of = *type;

	*all = *all && waits_for_all(c, type);
	if (still_polled(c->target, &at, &of))
		leg_follow(c, at, &of, true);
	legs = c->ways->legs - legs;
	*all = *all && (legs < 2 || c->ways->joined - joined == legs);
	c->ways->joined = joined;	/* those within count once */
}

/* The futures of select! and join!: a tuple. `off`: a bit for each that is not polled any more. */
static void tuple(struct chain *c, uint64_t at, Dwarf_Die *type, uint64_t off)
{
	Dwarf_Die m, of;
	bool all = true;
	size_t before = c->ways->legs;

	if (dwarf_child(type, &m))
		return;
	do
		if (dwarf_tag(&m) == DW_TAG_member && die_type(&m, &of)) {
			unsigned n = (unsigned)strtoul(die_name(&m) + 2, NULL, 10);

			if (n < 64 && off >> n & 1)
				continue;
			element(c, at + die_number(&m, DW_AT_data_member_location, 0), &of, &all);
		}
	while (!dwarf_siblingof(&m, &m));
	if (all)
		c->ways->joined += c->ways->legs - before;
}

/* A member of a closure, or what it refers to. */
static bool captured(const struct target *t, Dwarf_Die *closure, const char *name, uint64_t *at,
	Dwarf_Die *of)
{
	char by_ref[64];
	Dwarf_Die pointer;

	if (die_member(closure, name, at, of)) {
		if (dwarf_tag(of) != DW_TAG_pointer_type)
			return true;
		pointer = *of;
	} else {
		snprintf(by_ref, sizeof(by_ref), "_ref__%s", name);
		if (!die_member(closure, by_ref, at, &pointer))
			return false;
	}
	return mem_word(t, *at, at) && die_type(&pointer, of);
}

/* The closure of a select! or join!. */
static bool macro(struct chain *c, uint64_t at, Dwarf_Die *closure)
{
	uint64_t futures_at = at, off_at = at, off = 0;
	Dwarf_Die futures, disabled;

	if (!begins(die_name(closure), "{closure_env") ||
		!captured(c->target, closure, "futures", &futures_at, &futures) ||
		*die_name(&futures) != '(')
		return false;
	if (captured(c->target, closure, "disabled", &off_at, &disabled))
		off = mem_number(c->target, off_at, die_size(&disabled));
	tuple(c, futures_at, &futures, off);
	return true;
}

static bool is_future(Dwarf_Die *type)
{
	static const char *const names[] = {
		"{async_", "Pin<", "MaybeDone<", "TryMaybeDone<", "OrderWrapper<", "JoinHandle<"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins(die_name(type), names[i]))
			return true;
	return false;
}

/* Box<[T]>, Vec<T>, of futures */
static bool array(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t data = at, count_at = at, first, count, size;
	Dwarf_Die pointer, of;
	bool all = true, vec = begins(die_name(type), "Vec<");
	size_t before = c->ways->legs;

	if (vec ? !die_down(type, "pointer", &data, &pointer) ||
			!die_member(type, "len", &count_at, NULL) || !die_parameter(type, "T", &of) :
		  !die_member(type, "data_ptr", &data, &pointer) ||
			!die_member(type, "length", &count_at, NULL) || !die_type(&pointer, &of))
		return false;
	size = die_size(&of);
	if (!is_future(&of) || !size || !mem_word(c->target, data, &first) ||
		!mem_word(c->target, count_at, &count))
		return false;
	/* the count is memory's, and may be anything: only as many as are there */
	for (uint64_t i = 0; i < count && c->ways->legs <= MOST_LEGS &&
		mem_at(c->target, first + i * size, 1);
		i++, c->steps = 0)
		element(c, first + i * size, &of, &all);
	if (all)
		c->ways->joined += c->ways->legs - before;
	return true;
}

/* What has one future among its members, which it polls as long as it waits. */
static bool one_of_two(struct chain *c, uint64_t at, Dwarf_Die *type)
{
	uint64_t other = at;
	Dwarf_Die value, delay;

	if (!begins(die_name(type), "Timeout<") || !die_member(type, "value", &at, &value) ||
		!die_member(type, "delay", &other, &delay))
		return false;
	leg_follow(c, at, &value, true);
	leg_follow(c, other, &delay, true);
	return true;
}

/* Is that a library's, whose members are what it waits on? */
static bool transparent(Dwarf_Die *type)
{
	static const char *const libraries[] = {
		"tokio::", "core::", "alloc::", "std::", "mio::", "futures_util::", "futures_core::",
		"tokio_util::", "tokio_stream::", "async_std::", "async_global_executor::",
		"corotrace::tokio::"
	};
	const char *name = die_name(type);
	char path[300];

	if (*name == '(' || begins(name, "&") || dwarf_tag(type) == DW_TAG_pointer_type)
		return true;
	die_path(type, true, path, sizeof(path));
	if (begins(path, "tokio::runtime::") || begins(path, "corotrace::tokio::runtime::") ||
		begins(path, "mio::poll::") || begins(path, "mio::sys::"))
		/* the runtime itself, which has all sockets and timers, and one epoll */
		return false;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (begins(path, libraries[i]))
			return true;
	return false;
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

/* A socket that is waited for has its fd somewhere in what the functions around it keep. */
static void name_fd(struct chain *c)
{
	struct ways *w = c->ways, found = { .followed = w->followed };
	bool wanted = w->legs == c->first + 1 && w->leg[c->first].on.kind == CTT_ON_FD &&
		!w->leg[c->first].on.known;

	for (size_t i = c->within < MOST_WITHIN ? c->depth : 0; wanted && i-- > 0;) {
		struct chain in = { .target = c->target, .sites = c->sites, .task = c->task,
			.steps = c->steps, .ways = &found, .find = c->find,
			.within = c->within + 1 };

		found.legs = 0;
		members(&in, c->place[i].at, &c->place[i].fields, 0);
		c->steps = in.steps;
		for (size_t n = 0; n < found.legs && wanted; n++)
			if (found.leg[n].on.kind == CTT_ON_FD && found.leg[n].on.known) {
				w->leg[c->first].on = found.leg[n].on;
				wanted = false;
			}
	}
	w->followed = found.followed;
	free(found.leg);
}

void waits_find(struct chain *c, uint64_t at, Dwarf_Die *type, int depth)
{
	Dwarf_Die member, fields, of;
	uint64_t fields_at;
	size_t before = c->ways->legs;

	if (depth > WAITS_DEEP || ++c->steps > CHAIN_STEPS)
		return;
	if (begins(die_name(type), "{async_") || begins(die_name(type), "Pin<")) {
		leg_follow(c, at, type, false);
	} else if (dwarf_tag(type) == DW_TAG_pointer_type) {
		if (die_type(type, &of) && mem_word(c->target, at, &at))
			waits_find(c, at, &of, depth + 1);
	} else if (dwarf_tag(type) != DW_TAG_structure_type || macro(c, at, type) ||
		wait_known(c, at, type) || !transparent(type) || one_of_two(c, at, type) ||
		many_of(c, at, type) || array(c, at, type)) {
		;
	} else if (die_variant(c->target, at, type, &member, &fields, &fields_at)) {
		waits_find(c, fields_at, &fields, depth + 1);
	} else {
		members(c, at, type, depth);
	}
	if (depth)
		return;
	name_fd(c);
	/* where there is no waker, that may be meant */
	if (c->ways->unwakeable && c->ways->legs == before && may_be_never(type))
		wait_add(c, (struct wait_on){ .kind = CTT_ON_USER });
}
