/* async-task.c - the tasks of executors that are built on the crate async-task: smol, async-std.
 *
 * As of tokio: each type of future F that is spawned has a function RawTask<F, ..>::run; a table in
 * constant data has its address, and a task's header that table's. The table leads to where in the
 * task the future lies, for debuggers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cpp.h"
#include "search.h"
#include "tokio.h"

/* Header.state, as async-task 4 has it, which alone has layouts for debuggers: src/state.rs */
enum { SCHEDULED = 1, RUNNING = 2, COMPLETED = 4, CLOSED = 8, REF_SHIFT = 8 };
enum { MAX_REFS = 1 << 24, FAR = 1 << 20 };

struct run_function { uint64_t addr; Dwarf_Die future; bool known, ambiguous; };
static struct run_function *runs;
static size_t run_count, run_room;
static bool header_known, table_known, layout_known;
static uint64_t state_at, table_at;		/* in a header */
static uint64_t run_at, layout_at;		/* in a table */
static uint64_t future_at;			/* in a layout */
/* by address: the run_function of each table */
static struct hash tables;
static uint64_t lowest, highest;

static struct run_function *run_with(uint64_t addr)
{
	size_t i = first_from(runs, run_count, sizeof(*runs), addr);

	return i < run_count && runs[i].addr == addr ? &runs[i] : NULL;
}

static bool is_run(const char *name)
{
	return strstr(name, "10async_task3raw") &&
		(strstr(name, "3run17h") || (!strncmp(name, "_R", 2) && strstr(name, "3run")));
}

static size_t find_runs(Dwfl_Module *m)
{
	int count = dwfl_module_getsymtab(m);
	size_t before = run_count;

	for (int i = 0; i < count; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		const char *name = dwfl_module_getsym_info(m, i, &sym, &addr, NULL, NULL, NULL);

		if (name && GELF_ST_TYPE(sym.st_info) == STT_FUNC && addr && is_run(name))
			*ADD(runs, run_count, run_room) = (struct run_function){ .addr = addr };
	}
	return run_count - before;
}

/* Identical code that was merged is of several types. */
static void merge_runs(void)
{
	size_t kept = 0;

	qsort(runs, run_count, sizeof(*runs), by_number);
	for (size_t i = 0; i < run_count; i++)
		if (kept && runs[kept - 1].addr == runs[i].addr)
			runs[kept - 1].ambiguous = true;
		else
			runs[kept++] = runs[i];
	run_count = kept;
}

static void function(Dwarf_Die *d, Dwarf_Addr bias)
{
	Dwarf_Addr low;
	struct run_function *r;

	if (strcmp(die_name(d), "run") && strncmp(die_name(d), "run<", 4))
		return;
	r = dwarf_entrypc(d, &low) ? NULL : run_with(low + bias);
	if (r && !r->known)
		r->known = die_parameter(d, "F", &r->future);
}

static bool gather(void *arg, Dwarf_Die *d)
{
	Dwarf_Addr bias = *(Dwarf_Addr *)arg;
	const char *name;

	if (dwarf_tag(d) == DW_TAG_subprogram) {
		function(d, bias);
	} else if (dwarf_tag(d) == DW_TAG_variable) {
		dyn_add(d, bias);
	} else if (dwarf_tag(d) == DW_TAG_structure_type) {
		name = die_name(d);
		if (!header_known && !strncmp(name, "Header<", 7) &&
			die_member(d, "awaiter", NULL, NULL)) {
			state_at = table_at = 0;
			header_known = die_member(d, "state", &state_at, NULL) &&
				die_member(d, "vtable", &table_at, NULL);
		} else if (!table_known && !strcmp(name, "TaskVTable")) {
			run_at = layout_at = 0;
			table_known = die_member(d, "run", &run_at, NULL) &&
				die_member(d, "layout_info", &layout_at, NULL);
		} else if (!layout_known && !strcmp(name, "TaskLayout")) {
			future_at = 0;
			layout_known = die_member(d, "offset_f", &future_at, NULL);
		}
	}
	return true;
}

static bool find(struct target *t, struct take *want)
{
	for (size_t i = 0; i < t->modules; i++) {
		Dwarf_Die *unit = NULL;
		Dwarf_Addr bias;

		if (!find_runs(t->module[i].dwfl))
			continue;
		merge_runs();
		while ((unit = dwfl_module_nextcu(t->module[i].dwfl, unit, &bias)))
			die_walk(unit, gather, &bias);
		mem_constants(t, &t->module[i]);
	}
	dyn_sort();
	if (!run_count || !header_known || !table_known || !layout_known) {
		if (run_count)
			note("async-task is there, but no debug information of its tasks: build with debug = 2\n");
		return false;
	}
	want->heap = true;
	return true;
}

static void find_tables(const struct target *t)
{
	lowest = UINT64_MAX;
	highest = 0;
	for (size_t i = 0; i < t->runs; i++) {
		const uint64_t *w = (const void *)t->run[i].copy;
		size_t count = (t->run[i].end - t->run[i].start) / 8;

		for (size_t n = 0; n < count; n++) {
			struct run_function *r =
				w[n] < runs[0].addr || w[n] > runs[run_count - 1].addr ?
				NULL :
				run_with(w[n]);
			uint64_t addr = t->run[i].start + n * 8 - run_at;

			if (!r || (t->run[i].writable && t->live) || hash_find(&tables, addr))
				continue;
			hash_add(&tables, addr, r);
			lowest = addr < lowest ? addr : lowest;
			highest = addr > highest ? addr : highest;
		}
	}
}

/* What the executor wraps each future in. False: it is not async-executor's. */
static bool unwrap(Dwarf_Die *future)
{
	char path[400];
	Dwarf_Die of;
	bool executor = false;

	for (int i = 0; i < 4; i++) {
		executor |= strstr(future_name(future, path, sizeof(path)), "async_executor") != NULL;
		if (strncmp(die_name(future), "{async_", 7) &&
			(die_parameter(future, "Fut", &of) || die_parameter(future, "F", &of)))
			*future = of;
	}
	return executor;
}

/* Each executor keeps a waker of each of its tasks, to drop them when it ends. */
static void add(struct snapshot *s, const struct run_function *r, uint64_t header, uint64_t state,
	uint64_t offset)
{
	struct task *task = snap_task(s);
	Dwarf_Die future = r->future, inner = r->future;
	uint64_t size = r->known && !r->ambiguous ? die_size(&future) : 0;
	const unsigned char *bytes = mem_at(s->target, header + offset, size);
	bool executor = r->known && unwrap(&inner);
	char name[400];

	task->addr = header;
	task->state = state & RUNNING ? TASK_RUNS : state & SCHEDULED ? TASK_READY : TASK_WAITS;
	task->mark = mark_of(state, bytes, bytes ? size : 0);
	if (executor && task->state == TASK_WAITS && !s->target->moving)
		task->wakers = (int64_t)(state >> REF_SHIFT) - 1;
	if (!size)
		return;
	task->name = need(strdup(future_name(&inner, name, sizeof(name))));
	future_read(s, task, header + offset, &future);
}

/* Is it a header that lives, and not a copy of one that was left somewhere? */
static bool alive(const struct target *t, uint64_t header, uint64_t state)
{
	uint64_t size = 8, refs = state >> REF_SHIFT;

	return header % 8 == 0 && refs && refs < MAX_REFS && !(state & (COMPLETED | CLOSED)) &&
		!on_stack(t, header) && heap_chunk(header, &size) != CHUNK_FREE;
}

static void scan_run(struct snapshot *s, const struct run *in)
{
	const struct target *t = s->target;
	const uint64_t *w = (const void *)in->copy;
	size_t count = (in->end - in->start) / 8;

	for (size_t i = 0; i < count; i++) {
		struct run_function *r =
			w[i] < lowest || w[i] > highest ? NULL : hash_find(&tables, w[i]);
		uint64_t header = in->start + i * 8 - table_at, state, layout, offset;

		if (r && mem_word(t, header + state_at, &state) && alive(t, header, state) &&
			mem_word(t, w[i] + layout_at, &layout) &&
			mem_word(t, layout + future_at, &offset) && offset < FAR)
			add(s, r, header, state, offset);
	}
}

static void read_tasks(struct snapshot *s)
{
	size_t before = s->tasks;

	heap_walk(s->target);
	find_tables(s->target);
	for (size_t i = 0; i < s->target->runs; i++)
		if (s->target->run[i].writable)
			scan_run(s, &s->target->run[i]);
	locks_forget();
	note("%zu tasks of async-task\n", s->tasks - before);
	hash_free(&tables);
	heap_forget();
}

static void forget(void)
{
	free(runs);
	runs = NULL;
	run_count = run_room = 0;
	tokio_types_free();
}

const struct runtime async_task_runtime = { "async-task", find, read_tasks, forget, NULL };
