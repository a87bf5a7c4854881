/* tokio-types.c - what symbols and debug information say of tokio's tasks. Contracts in tokio.h.
 *
 * Each type of future T that is spawned has a function tokio::runtime::task::raw::poll<T, S>; a
 * table in constant data that begins with its address; and in a task's header the address of that
 * table. So headers are found without unwinding, thread locals or lists.
 */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"
#include "tokio.h"

struct tokio tokio;

static char *own_name(Dwarf_Die *type, char *buf, size_t size)
{
	const char *name = die_name(type), *number = strchr(name, '#');
	bool async = begins(name, "{async_");
	size_t len = strlen(die_path(type, !async, buf, size));

	if (async && !begins(name, "{async_fn"))
		snprintf(buf + len, size - len, "::{async_%s%.*s}",
			begins(name, "{async_block") ? "block" : "closure",
			number ? (int)strcspn(number, "}") : 0, number ? number : "");
	return buf;
}

/* A task is called by what the probe is put around. */
char *future_name(Dwarf_Die *type, char *buf, size_t size)
{
	Dwarf_Die within;

	own_name(type, buf, size);
	if (*die_name(type) != '{' && begins(buf, "corotrace::") && die_parameter(type, "F", &within))
		own_name(&within, buf, size);
	return buf;
}

/* Of the older mangling _ZN5tokio7runtime4task3raw4poll17h.., of v0
 * _RINvNtNtNtC..5tokio7runtime4task3raw4poll.. */
static bool is_poll(const char *name)
{
	return strstr(name, "5tokio7runtime4task3raw4poll17h") || (!strncmp(name, "_R", 2) &&
		strstr(name, "5tokio7runtime4task3raw4poll"));
}

static size_t find_polls(Dwfl_Module *m)
{
	int count = dwfl_module_getsymtab(m);
	size_t before = tokio.polls;

	for (int i = 0; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		const char *name = dwfl_module_getsym_info(m, i, &sym, &addr, NULL, NULL, NULL);

		if (name && GELF_ST_TYPE(sym.st_info) == STT_FUNC && addr && is_poll(name))
			*ADD(tokio.poll, tokio.polls, tokio.poll_room) = (struct poll){
				.addr = addr, .module = m };
	}
	return tokio.polls - before;
}

/* Two symbols of one address: identical code that was merged. */
static void merge_polls(void)
{
	size_t kept = 0;

	if (tokio.polls)
		qsort(tokio.poll, tokio.polls, sizeof(*tokio.poll), by_number);
	for (size_t i = 0; i < tokio.polls; i++)
		if (kept && tokio.poll[kept - 1].addr == tokio.poll[i].addr)
			tokio.poll[kept - 1].ambiguous = true;
		else
			tokio.poll[kept++] = tokio.poll[i];
	tokio.polls = kept;
}

struct poll *poll_with(uint64_t addr)
{
	size_t i = first_from(tokio.poll, tokio.polls, sizeof(*tokio.poll), addr);

	return i < tokio.polls && tokio.poll[i].addr == addr ? &tokio.poll[i] : NULL;
}

const struct dyn *dyn_with(uint64_t vtable)
{
	size_t i = first_from(tokio.dyn, tokio.dyns, sizeof(*tokio.dyn), vtable);

	return i < tokio.dyns && tokio.dyn[i].addr == vtable ? &tokio.dyn[i] : NULL;
}

/* ---- one unit ---- */

struct unit {
	Dwarf_Addr bias;
	Dwarf_Die *cell;		/* Cell<T, S> */
	size_t cells, room;
};

static void header_type(Dwarf_Die *d)
{
	uint64_t state = 0, vtable = 0, next = 0, owner = 0;

	if (tokio.header.header_known || !die_member(d, "vtable", &vtable, NULL) ||
		!die_member(d, "state", &state, NULL) || !die_member(d, "queue_next", &next, NULL))
		return;
	tokio.header.header_known = true;
	tokio.header.state_at = state;
	tokio.header.vtable_at = vtable;
	tokio.header.owner_known = die_member(d, "owner_id", &owner, NULL);
	tokio.header.owner_at = owner;
}

static void vtable_type(Dwarf_Die *d)
{
	uint64_t poll = 0, id = 0, spawned = 0;

	if (tokio.header.vtable_known || !die_member(d, "poll", &poll, NULL) ||
		!die_member(d, "dealloc", NULL, NULL))
		return;
	tokio.header.vtable_known = true;
	tokio.header.poll_at = poll;
	tokio.header.id_known = die_member(d, "id_offset", &id, NULL);
	tokio.header.id_at = id;
	tokio.header.spawned_known = die_member(d, "spawn_location_offset", &spawned, NULL);
	tokio.header.spawned_at = spawned;
}

/* <T as Future>::{vtable}, for T behind a `dyn Future`. */
void dyn_add(Dwarf_Die *d, Dwarf_Addr bias)
{
	Dwarf_Die of, type;
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t ops;

	if (!strstr(die_name(d), "::{vtable}") || !die_type(d, &of) ||
		!dwarf_attr(&of, DW_AT_containing_type, &a) || !dwarf_formref_die(&a, &type) ||
		!dwarf_attr(d, DW_AT_location, &a) || dwarf_getlocation(&a, &op, &ops) || !ops ||
		op[0].atom != DW_OP_addr)
		return;
	*ADD(tokio.dyn, tokio.dyns, tokio.dyn_room) = (struct dyn){ op[0].number + bias, type };
}

void dyn_sort(void)
{
	if (tokio.dyns)
		qsort(tokio.dyn, tokio.dyns, sizeof(*tokio.dyn), by_number);
}

/* batch_semaphore's, and the one around it that a bounded channel has */
static void semaphore_type(Dwarf_Die *d)
{
	uint64_t permits = 0, bound = 0, inner = 0;

	if (die_member(d, "waiters", NULL, NULL) && die_member(d, "permits", &permits, NULL)) {
		tokio.permits_known = true;
		tokio.permits_at = permits;
	} else if (die_member(d, "bound", &bound, NULL) && die_member(d, "semaphore", &inner, NULL)) {
		tokio.bound_known = true;
		tokio.bound_at = bound;
		tokio.bound_semaphore_at = inner;
	}
}

/* ArcInner<tokio::sync::mpsc::chan::Chan<T, bounded::Semaphore>> */
static void channel_type(Dwarf_Die *d)
{
	uint64_t at = 0;
	Dwarf_Die semaphore;

	if (!die_members(d, "data.semaphore", &at, &semaphore) ||
		!die_member(&semaphore, "bound", NULL, NULL))
		return;
	tokio.channels_differ |= tokio.channel_known && at != tokio.channel_semaphore_at;
	tokio.channel_known = true;
	tokio.channel_semaphore_at = at;
}

/* ArcInner<tokio::..::worker::Worker> */
static void worker_type(Dwarf_Die *d)
{
	Dwarf_Die worker;
	uint64_t at = 0, index, owner;

	if (!die_member(d, "data", &at, &worker))
		return;
	index = owner = at;
	if (!die_member(&worker, "index", &index, NULL) ||
		(!die_member(&worker, "handle", &owner, NULL) &&
			!die_member(&worker, "shared", &owner, NULL)))
		return;
	tokio.worker_known = true;
	tokio.worker_size = die_size(d);
	tokio.worker_index_at = index;
	tokio.worker_owner_at = owner;
}

static bool gather(void *arg, Dwarf_Die *d)
{
	struct unit *u = arg;
	const char *name;

	if (dwarf_tag(d) == DW_TAG_variable) {
		dyn_add(d, u->bias);
	} else if (dwarf_tag(d) == DW_TAG_structure_type) {
		name = die_name(d);
		if (!strncmp(name, "Cell<", 5) && die_member(d, "header", NULL, NULL) &&
			die_member(d, "trailer", NULL, NULL))
			*ADD(u->cell, u->cells, u->room) = *d;
		else if (!strcmp(name, "Header"))
			header_type(d);
		else if (!strcmp(name, "Vtable"))
			vtable_type(d);
		else if (!strncmp(name, "ArcInner<tokio::runtime::", 25) &&
			strstr(name, "::worker::Worker"))
			worker_type(d);
		else if (!strncmp(name, "ArcInner<tokio::sync::mpsc::chan::Chan<", 39))
			channel_type(d);
		else if (!strcmp(name, "Semaphore"))
			semaphore_type(d);
		else if (!strncmp(name, "Owned", 5) && strstr(name, "Guard<"))
			tokio.owned_guards = true;
	}
	return true;
}

/* The enum below its cells: Running(T), Finished, Consumed. */
static bool stage_type(Dwarf_Die *cell, uint64_t *at, Dwarf_Die *stage)
{
	enum { CELLS = 4 };	/* as many are within one another at most */

	*at = 0;
	if (!die_members(cell, "core.stage.stage", at, stage))
		return false;
	for (int i = 0; i < CELLS && begins(die_name(stage), "UnsafeCell<"); i++) {
		Dwarf_Die in = *stage;

		if (!die_member(&in, "__0", at, stage) && !die_member(&in, "value", at, stage))
			return false;
	}
	return true;
}

/* let harness = Harness::<T, S>::from_raw(ptr): its only member leads to the cell. */
static bool harness_cell(Dwarf_Die *in, Dwarf_Die *cell, int depth)
{
	Dwarf_Die c, type, of;

	if (depth > 4 || dwarf_child(in, &c))
		return false;
	do {
		if (dwarf_tag(&c) == DW_TAG_lexical_block && harness_cell(&c, cell, depth + 1))
			return true;
		if (dwarf_tag(&c) == DW_TAG_variable && !strncmp(die_name(&c), "harness", 7) &&
			die_type(&c, &type) && die_members(&type, "cell.pointer", NULL, &of) &&
			die_type(&of, cell) && !strncmp(die_name(cell), "Cell<", 5))
			return true;
	} while (!dwarf_siblingof(&c, &c));
	return false;
}

/* Where the optimiser left no such variable: the cell of that future in the same unit. */
static bool unit_cell(const struct unit *u, Dwarf_Die *future, Dwarf_Die *cell)
{
	Dwarf_Die of;

	for (size_t i = 0; i < u->cells; i++)
		if (die_parameter(&u->cell[i], "T", &of) &&
			dwarf_dieoffset(&of) == dwarf_dieoffset(future)) {
			*cell = u->cell[i];
			return true;
		}
	return false;
}

static bool poll_function(void *arg, Dwarf_Die *d)
{
	struct unit *u = arg;
	char path[400];
	Dwarf_Addr low;
	Dwarf_Die future, scheduler;
	struct poll *p;

	if (dwarf_tag(d) != DW_TAG_subprogram || dwarf_entrypc(d, &low))
		return true;
	p = poll_with(low + u->bias);
	if (!p || p->type || !die_parameter(d, "T", &future))
		return true;
	p->type = need(strdup(future_name(&future, path, sizeof(path))));
	if (die_parameter(d, "S", &scheduler)) {
		p->blocking = !strcmp(die_name(&scheduler), "BlockingSchedule");
		p->pooled = strstr(die_name(&scheduler), "::multi_thread::") ||
			strstr(die_name(&scheduler), "::thread_pool::");
	}
	p->cell_known = (harness_cell(d, &p->cell, 0) || unit_cell(u, &future, &p->cell)) &&
		stage_type(&p->cell, &p->stage_at, &p->stage);
	return true;
}

static bool has_polls(Dwarf_Die *unit, Dwarf_Addr bias)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0)
		for (size_t i = 0; i < tokio.polls; i++)
			if (tokio.poll[i].addr >= low + bias && tokio.poll[i].addr < high + bias)
				return true;
	return false;
}

static void read_units(Dwfl_Module *m)
{
	Dwarf_Die *unit = NULL;
	struct unit u = { .cell = NULL };

	while ((unit = dwfl_module_nextcu(m, unit, &u.bias))) {
		u.cells = 0;
		tokio.split |= die_is_split(unit);
		die_walk(unit, gather, &u);
		if (has_polls(unit, u.bias))
			die_walk(unit, poll_function, &u);
	}
	free(u.cell);
}

static bool same_header(const struct header *a, const struct header *b)
{
	return a->state_at == b->state_at && a->vtable_at == b->vtable_at &&
		a->owner_known == b->owner_known && a->owner_at == b->owner_at &&
		a->poll_at == b->poll_at && a->id_known == b->id_known &&
		a->id_at == b->id_at && a->spawned_known == b->spawned_known &&
		a->spawned_at == b->spawned_at;
}

/* What modules before it say of headers counts. */
static void read_module(struct target *t, struct module *m)
{
	const struct header was = tokio.header;
	const bool others = was.header_known && was.vtable_known;
	bool known;

	if (others)
		tokio.header = (struct header){ .header_known = false };
	read_units(m->dwfl);
	mem_constants(t, m);
	known = tokio.header.header_known && tokio.header.vtable_known &&
		(!others || same_header(&tokio.header, &was));
	if (others)
		tokio.header = was;
	for (size_t i = 0; i < tokio.polls; i++)
		if (tokio.poll[i].addr >= m->start && tokio.poll[i].addr < m->end)
			tokio.poll[i].header_known = known;
}

/* Of libraries that were unloaded: another may lie there. */
static void drop_polls(const struct target *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < tokio.polls; i++)
		if (module_is_there(t, tokio.poll[i].module))
			tokio.poll[kept++] = tokio.poll[i];
		else
			free(tokio.poll[i].type);
	tokio.polls = kept;
}

static void drop_dyns(const struct module *m)
{
	Dwarf_Addr bias;
	Dwarf *of = dwfl_module_getdwarf(m->dwfl, &bias);
	size_t kept = 0;

	for (size_t i = 0; i < tokio.dyns; i++)
		if (dwarf_cu_getdwarf(tokio.dyn[i].type.cu) != of)
			tokio.dyn[kept++] = tokio.dyn[i];
	tokio.dyns = kept;
}

bool tokio_types_more(struct target *t, size_t from)
{
	struct module *with[16];
	size_t count = 0;

	drop_polls(t);
	for (size_t i = 0; i < from && tokio.dyns; i++)
		if (!t->module[i].end)
			drop_dyns(&t->module[i]);
	for (size_t i = from; i < t->modules; i++)
		if (find_polls(t->module[i].dwfl) && count < sizeof(with) / sizeof(with[0]))
			with[count++] = &t->module[i];
	merge_polls();
	if (from)
		target_drop(t);
	for (size_t i = 0; i < count; i++)
		read_module(t, with[i]);
	dyn_sort();
	return count;
}

bool tokio_types(struct target *t)
{
	return tokio_types_more(t, 0);
}

void tokio_types_free(void)
{
	for (size_t i = 0; i < tokio.polls; i++)
		free(tokio.poll[i].type);
	free(tokio.poll);
	free(tokio.dyn);
	memset(&tokio, 0, sizeof(tokio));
}
