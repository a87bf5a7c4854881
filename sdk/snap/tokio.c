/* tokio.c - the tasks of tokio in a process's memory, and what each waits on. See tokio-types.c for
 * how they are found. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/hash.h"
#include "cpp.h"
#include "tokio.h"

/* Header.state, as tokio has had it since 1.0: tokio/src/runtime/task/state.rs */
enum { RUNNING = 1, COMPLETE = 2, NOTIFIED = 4, JOIN_INTEREST = 8, REF_SHIFT = 6 };
enum { MAX_REFS = 1 << 24 };

/* by address: the struct poll * of each table of functions */
static struct hash tables;
static uint64_t lowest_table, highest_table;
static size_t refused, finished, without_type;

static bool find(struct target *t, struct take *want)
{
	if (!tokio_types(t))
		return false;
	if (!tokio.header.header_known || !tokio.header.vtable_known)
		refuse(3, t,
			"tokio is there, but no debug information of its tasks' headers: build with debug = 2%s",
			tokio.split ? " and split-debuginfo = \"off\"" : "");
	want->heap = true;
	return true;
}

/* Words of constant data that are a poll function's address: their tables. */
static void find_tables(const struct target *t)
{
	lowest_table = UINT64_MAX;
	highest_table = 0;
	for (size_t i = 0; i < t->runs; i++) {
		const uint64_t *w = (const void *)t->run[i].copy;
		size_t count = (t->run[i].end - t->run[i].start) / 8;

		for (size_t n = 0; n < count; n++) {
			struct poll *p = w[n] < tokio.poll[0].addr ||
					w[n] > tokio.poll[tokio.polls - 1].addr ?
				NULL :
				poll_with(w[n]);
			uint64_t addr = t->run[i].start + n * 8 - tokio.header.poll_at;

			if (!p || !p->header_known || (t->run[i].writable && t->live) ||
				hash_find(&tables, addr))
				continue;
			hash_add(&tables, addr, p);
			lowest_table = addr < lowest_table ? addr : lowest_table;
			highest_table = addr > highest_table ? addr : highest_table;
		}
	}
}

/* Is it a header that lives? A copy of one, left on a stack or in memory that was freed, is
 * none. */
static bool alive(const struct target *t, uint64_t header, uint64_t state)
{
	uint64_t refs = state >> REF_SHIFT, owner, size = 8;

	if (!refs || refs > MAX_REFS || header % 8 || on_stack(t, header))
		return false;
	if (tokio.header.owner_known &&
		(!mem_word(t, header + tokio.header.owner_at, &owner) || !owner))
		return false;
	return heap_chunk(header, &size) != CHUNK_FREE;
}

/* Who runs it: a thread that polls a task and has its address on its stack. */
static uint32_t runs_on(const struct target *t, uint64_t header)
{
	enum { DEPTH = 1 << 15 };

	for (size_t i = 0; i < t->threads; i++) {
		uint64_t word;

		if (!t->thread[i].polls && t->thread[i].calls)
			continue;
		for (uint64_t at = t->thread[i].sp, end = at + DEPTH * 8;
			at && at < end && mem_word(t, at, &word); at += 8)
			if (word == header)
				return t->thread[i].tid;
	}
	return 0;
}

/* One way of waiting that is a chain of its own goes on where the chain ends. */
static void set_wait(struct task *task, struct chain *c)
{
	struct ways *w = c->ways;
	const char *reason = w->legs > 1 ? "" : w->legs && *c->fill ? c->fill : c->leaf;

	if (w->legs == 1) {
		task->on = w->leg[0].on;
		reason = task->on.kind == CTT_ON_NONE || task->on.kind == CTT_ON_USER ? c->leaf :
											c->fill;
	} else if (w->legs > 1) {
		task->leg = w->leg;
		task->legs = w->legs;
		task->all = w->joined == w->legs;
		w->leg = NULL;
	}
	if (*reason)
		task->reason = need(strdup(reason));
}

static void set_place(struct task *task, const struct chain *c)
{
	task->stack = chain_stack(c, task->spawn);
	task->site = c->own ? c->own : c->depth ? c->site[c->depth - 1] : 0;
}

void future_read(struct snapshot *s, struct task *task, uint64_t at, Dwarf_Die *future)
{
	struct ways ways = { .unwakeable = !task->wakers };
	struct chain c = { .target = s->target, .sites = s->sites, .task = task->addr,
		.ways = &ways, .find = waits_find };

	locks_walk(s->target, task->addr, at, future);
	chain_follow(&c, at, future, 0);
	set_place(task, &c);
	if (task->state == TASK_WAITS)
		set_wait(task, &c);
	if (c.unpolled && task->state == TASK_READY)
		task->state = TASK_NEW;
	free(ways.leg);
}

/* The future, where it has one still. */
static void read_future(struct snapshot *s, struct task *task, const struct poll *p)
{
	Dwarf_Die stage = p->stage, member, fields, future;
	uint64_t at, offset = 0, size = die_size(&stage);
	const unsigned char *bytes = mem_at(s->target, task->addr + p->stage_at, size);

	task->mark = mark_of(task->mark, bytes, bytes ? size : 0);
	if (die_variant(s->target, task->addr + p->stage_at, &stage, &member, &fields, &at) &&
		!strcmp(die_name(&fields), "Running") &&
		die_member(&fields, "__0", &offset, &future))
		future_read(s, task, at + offset, &future);
}

/* What a thread in block_on runs: no task, and without an id. While it runs tasks, or sleeps, that
 * waits. False: it is not found. */
static bool read_blocked(struct snapshot *s, const struct thread *th)
{
	uint64_t at, size;
	const unsigned char *bytes;
	struct task *task;
	Dwarf_Die future;
	char name[400];

	if (!blocked_future(s->target, th, &at, &future))
		return false;
	size = die_size(&future);
	bytes = mem_at(s->target, at, size);
	task = snap_task(s);
	task->addr = at;
	task->tid = th->tid;
	task->blocked = true;
	task->mark = mark_of(0, bytes, bytes ? size : 0);
	task->name = need(strdup(future_name(&future, name, sizeof(name))));
	/* in a futex may be the program's own code */
	task->state = th->polls || th->sleeps ? TASK_WAITS : TASK_RUNS;
	future_read(s, task, at, &future);
	return true;
}

/* "src/main.rs:12:5", of a &'static core::panic::Location */
static void read_spawn(struct snapshot *s, struct task *task, uint64_t vtable)
{
	uint64_t offset, location, file, len;
	char name[512];

	if (!tokio.header.spawned_known ||
		!mem_word(s->target, vtable + tokio.header.spawned_at, &offset) || offset > 4096 ||
		!mem_word(s->target, task->addr + offset, &location) ||
		!mem_word(s->target, location, &file) || !mem_word(s->target, location + 8, &len) ||
		len >= sizeof(name) || !mem_read(s->target, file, name, len))
		return;
	name[len] = '\0';
	task->spawn = site_of(s->sites, "spawned", name, mem_number(s->target, location + 16, 4));
}

static void add(
	struct snapshot *s, struct poll *p, uint64_t header, uint64_t state, uint64_t vtable)
{
	struct task *task = snap_task(s);

	task->addr = header;
	task->code = p->addr;
	task->id = task_id(s->target, header);
	task->mark = mark_of(state, NULL, 0);
	task->state = state & RUNNING ? TASK_RUNS : state & NOTIFIED ? TASK_READY : TASK_WAITS;
	/* All references but the runtime's list's and the join handle's are wakers, or stand in a
	 * queue. */
	if (task->state == TASK_WAITS && !s->target->moving)
		task->wakers = (int64_t)(state >> REF_SHIFT) - 1 - !!(state & JOIN_INTEREST);
	if (task->wakers < -1)
		task->wakers = -1;
	if (task->state == TASK_RUNS)
		task->tid = runs_on(s->target, header);
	task->pooled = p->pooled && !p->ambiguous;
	if (p->type)
		task->name = need(strdup(p->type));
	read_spawn(s, task, vtable);
	queues_note(s->target, p, header);
	if (p->cell_known && !p->ambiguous) {
		locks_none_in(header, die_size(&p->cell));
		reach_cell(header, die_size(&p->cell));
		read_future(s, task, p);
	} else {
		without_type++;
	}
}

static void scan_run(struct snapshot *s, const struct run *r)
{
	const struct target *t = s->target;
	const uint64_t *w = (const void *)r->copy;
	size_t count = (r->end - r->start) / 8;

	for (size_t i = 0; i < count; i++) {
		struct poll *p = w[i] < lowest_table || w[i] > highest_table ?
			NULL :
			hash_find(&tables, w[i]);
		uint64_t header = r->start + i * 8 - tokio.header.vtable_at, state;

		if (!p || p->blocking || !mem_word(t, header + tokio.header.state_at, &state))
			continue;
		if (!alive(t, header, state))
			refused++;
		else if (state & COMPLETE)
			finished++;
		else
			add(s, p, header, state, w[i]);
	}
}

/* What a function of tokio's own makes of the thread that is in it, NULL: nothing. */
static const char *role_of(const char *name)
{
	if (strstr(name, "multi_thread6worker") || strstr(name, "thread_pool6worker") ||
		(strstr(name, "current_thread") && strstr(name, "8block_on")))
		return "worker";
	if (strstr(name, "7runtime8blocking4pool"))
		return "blocking";
	return strstr(name, "8block_on") ? "block_on" : NULL;
}

static const char *call_name(const struct target *t, const struct thread *th, size_t i)
{
	Dwfl_Module *m = dwfl_addrmodule(t->dwfl, th->call[i]);

	return m ? dwfl_module_addrname(m, th->call[i]) : NULL;
}

static bool is_park(const char *name)
{
	return name && strstr(name, "5tokio7runtime") && strstr(name, "4park");
}

/* Calls from where it sleeps in the runtime out to who called block_on, if all of them are the
 * runtime's: the program's code is on that stack only further out. */
static size_t at_rest(const struct target *t, const struct thread *th)
{
	size_t rest = 0;
	bool parked = false;

	for (size_t i = 0; i < th->calls; i++) {
		const char *name = call_name(t, th, i);

		parked |= is_park(name);
		if (!parked)
			continue;
		if (!name || !strstr(name, "5tokio") || strstr(name, "14block_in_place"))
			break;
		if (strstr(name, "8block_on"))
			rest = i + 1;
	}
	return rest < th->calls && th->saved[rest].sp ? rest : 0;
}

/* Was it stopped in the middle of its sleep? One that was woken, and has not had the processor
 * since, is in that system call as well, but has its result. */
static bool in_its_sleep(const struct thread *th)
{
	enum { RESTART = 512, RESTART_BLOCK = 516 };	/* the kernel's: linux/errno.h */
	uint64_t call = th->reg[15], error = -th->reg[10];	/* orig_rax: -1 in none; rax */

	return (call == SYS_futex || call == SYS_epoll_wait || call == SYS_epoll_pwait) &&
		(error == EINTR || (error >= RESTART && error <= RESTART_BLOCK));
}

/* A thread is what the innermost of those functions makes of it; what those call may be the
 * program's. */
static void set_role(const struct target *t, struct thread *th)
{
	th->role = NULL;
	th->polls = th->sleeps = false;
	for (size_t i = 0; i < th->calls && !th->role; i++) {
		const char *name = call_name(t, th, i);

		th->role = name ? role_of(name) : NULL;
		th->sleeps |= is_park(name);
		th->polls |= name && !th->role && strstr(name, "5tokio7runtime4task");
	}
	th->idle = th->role && !th->polls && strcmp(th->role, "block_on");
	for (size_t i = 0; i < th->calls && th->idle; i++) {
		const char *name = call_name(t, th, i);

		th->idle = !name || !strstr(name, "8block_on");
	}
	th->rest = th->polls ? 0 : at_rest(t, th);
	th->parked = th->idle && !strcmp(th->role, "worker") && in_its_sleep(th);
}

static void read_tasks(struct snapshot *s)
{
	struct target *t = s->target;
	size_t before = s->tasks;

	heap_walk(t);
	find_tables(t);
	unwind(t);
	for (size_t i = 0; i < t->threads; i++)
		set_role(t, &t->thread[i]);
	for (size_t i = 0; i < t->runs; i++)
		if (t->run[i].writable)
			scan_run(s, &t->run[i]);
	for (size_t i = 0; i < t->threads; i++)
		if (t->thread[i].role && strcmp(t->thread[i].role, "blocking") &&
			!read_blocked(s, &t->thread[i]))
			t->thread[i].rest = 0;	/* it lies there, with what it has */
	queues_report(s);
	locks_report(s);
	reach_report(s);
	locks_forget();
	never_forget();
	note("%zu tokio tasks, %zu finished ones, %zu stale headers; %zu without the type of their future\n",
		s->tasks - before, finished, refused, without_type);
	hash_free(&tables);
	refused = finished = without_type = 0;
	heap_forget();
}

const struct runtime tokio_runtime = { "tokio", find, read_tasks, tokio_types_free, NULL };
