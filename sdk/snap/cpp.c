/* cpp.c - the coroutines of C++20 in a snapshot: each a frame that was found. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cpp.h"

bool kinds_add(struct target *t, size_t from)
{
	if (!kinds_find(t, from))
		return false;
	kinds_types(t, from);
	for (size_t i = 0; i < cpp_kinds.count; i++) {
		struct kind *k = &cpp_kinds.item[i];

		if (k->site)
			continue;
		if (k->gcc)
			awaits_gcc(k);
		else
			awaits_clang(k);
		k->site = need(calloc(k->awaits + 1, sizeof(*k->site)));
	}
	awaiter_forget();
	return true;
}

static bool find(struct target *t, struct take *want)
{
	want->heap |= kinds_add(t, 0);
	want->kept |= cpp_kinds.count;
	return cpp_kinds.count;
}

uint32_t kind_site(struct sites *s, struct kind *k, uint64_t index)
{
	const struct await *a = await_at(k, index);
	uint32_t *site = &k->site[a ? (size_t)(a - k->await) : k->awaits];
	char *name;

	if (*site)
		return *site;
	name = k->func && *k->func ? need(strdup(k->func)) : kind_name(k->stem, k->gcc);
	*site = site_of(s, name, a ? a->file : k->file, a ? a->line : 0);
	free(name);
	return *site;
}

/* serve(fd=7, id=12) */
static char *frame_name(const struct target *t, const struct frame *f)
{
	char text[300];
	const struct kind *k = f->kind;
	size_t len = (size_t)snprintf(text, sizeof(text), "%s(", k->func ? k->func : "");

	if (!k->arguments)
		return NULL;
	for (size_t i = 0; i < k->arguments && len < sizeof(text); i++) {
		const struct field *a = &k->argument[i];
		uint64_t v = mem_number(t, f->addr + a->at, a->size);
		unsigned unused = 64 - 8 * (unsigned)a->size;

		len += (size_t)snprintf(text + len, sizeof(text) - len,
			a->is_signed ? "%s%s=%" PRId64 : "%s%s=%" PRIu64, i ? ", " : "", a->name,
			a->is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v);
	}
	if (len < sizeof(text) - 1)
		strcpy(text + len, ")");
	return need(strdup(text));
}

static struct hash dead;	/* by address: those that are awaited and are over */

/* What f awaits and is over, once. */
static void add_dead(struct snapshot *s, const struct frame *f)
{
	static const char yes[1];
	struct task *task;

	if (hash_find(&dead, f->dead))
		return;
	hash_add(&dead, f->dead, (void *)yes);
	task = snap_task(s);
	task->addr = f->dead;
	task->ended = true;
	if (f->dead_kind)
		task->site = kind_site(s->sites, f->dead_kind, UINT64_MAX);
}

/* The one that f awaits; else what its awaiter says, or epoll. */
static void set_wait(struct snapshot *s, struct task *task, const struct frame *f)
{
	struct said says = awaiter_says(s->target, f);

	task->on = says.on;
	if (f->child)
		task->on = (struct wait_on){ CTT_ON_CORO, true, true, f->child->addr };
	else if (f->dead)
		/* where something has the waiter, that may yet resume it */
		task->on = (struct wait_on){ CTT_ON_CORO, !task->refs, true, f->dead };
	else if (says.on.kind == CTT_ON_NONE && f->fd > 0)
		task->on = (struct wait_on){ CTT_ON_FD, true, false, (uint64_t)f->fd - 1 };
	if (says.owner && !f->child && frame_with(says.owner, true))
		snap_hold(s, (struct hold){ frame_with(says.owner, true)->addr, says.on,
				     says.doubt });
}

static void add(struct snapshot *s, const struct frame *f, bool refs)
{
	const struct kind *k = f->kind;
	const unsigned char *bytes = mem_at(s->target, f->addr, f->size);
	struct task *task;

	if (f->dead && refs && !f->refs)
		add_dead(s, f);
	task = snap_task(s);
	task->addr = f->addr;
	task->site = kind_site(s->sites, f->kind, f->index);
	task->name = frame_name(s->target, f);
	task->tid = f->tid;
	task->allocated = f->allocated;
	task->mark = mark_of(f->index, bytes, bytes ? f->size : 0);
	task->refs = refs ? (int64_t)f->refs : -1;
	if (f->tid)
		task->state = TASK_RUNS;
	else if (k->layout && f->index == (k->gcc ? 2 : 0) && k->starts_suspended)
		task->state = TASK_CREATED;
	set_wait(s, task, f);
	if (f->doubtful)
		task->doubt = !k->layout ? "no debug information says whether it was destroyed" :
			f->within ? "within another frame, which does not await it: it may have ended" :
			"not in a chunk of malloc's own: it may have been destroyed";
}

static void read_frames(struct snapshot *s)
{
	size_t without_line = 0;
	bool refs;

	heap_walk(s->target);
	frames_find(s->target);
	frames_link(s->target);
	unwind(s->target);
	frames_running(s->target);
	refs = cpp_frames.count && !s->target->moving && frames_refs(s->target);
	for (size_t i = 0; i < cpp_frames.count; i++)
		says_first(s->target, &cpp_frames.item[i]);
	for (size_t i = 0; i < cpp_frames.count; i++) {
		const struct frame *f = &cpp_frames.item[i];

		without_line += !await_at(f->kind, f->index);
		add(s, f, refs);
	}
	note("%zu C++20 frames, %zu at their end, %zu destroyed before; %zu without a line\n",
		cpp_frames.count, cpp_frames.at_end, cpp_frames.stale, without_line);
	if (cpp_frames.on_stacks)
		note("%zu frames that clang put on a stack, or what is left of some: not shown\n",
			cpp_frames.on_stacks);
	hash_free(&dead);
	says_forget();
	frames_forget();
	heap_forget();
}

const struct runtime cpp_runtime = { "C++20 coroutines", find, read_frames, kinds_free, NULL };
