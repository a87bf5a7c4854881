/* moment.c - how all coroutines stand at one moment. Contracts in moment.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cttrace.h"
#include "moment.h"

static struct take take = { .limit = 0 };

struct runtimes moment_find(struct target *t)
{
	struct runtimes r = { .cpp = false };

	moment_more(t, &r, 0);
	return r;
}

void moment_more(struct target *t, struct runtimes *r, size_t from)
{
	r->cpp |= kinds_add(t, from);
	r->tokio |= tokio_types_more(t, from);
	r->memory = r->tokio && tokio.header.header_known && tokio.header.vtable_known;
	take.heap = r->cpp || r->memory;
	take.kept = r->cpp;
}

bool moment_take(struct target *t, uint64_t limit_mb, char why[static 200])
{
	take.limit = limit_mb << 20;
	return target_take(t, &take, why);
}

/* ---- one coroutine ---- */

static const char *on_text(const struct follow *f, const struct wait_on *on, char *buf, size_t size)
{
	const struct coro *c = on->known && on->frame ? follow_find(f, on->value) : NULL;
	bool decimal = on->kind == CTT_ON_FD || on->kind == CTT_ON_TIMER ||
		on->kind == CTT_ON_JOIN || on->kind == CTT_ON_CORO;
	int len;

	if (on->kind == CTT_ON_NONE)
		return NULL;
	len = snprintf(buf, size, "%s:%s", ctt_on_name(on->kind),
		on->kind == CTT_ON_USER ? "no waker" : "");
	if (c)
		snprintf(buf + len, size - (size_t)len, "%" PRIu64, c->id);
	else if (on->known && !on->frame)
		snprintf(buf + len, size - (size_t)len, decimal ? "%" PRIu64 : "0x%016" PRIx64,
			on->value);
	return buf;
}

/* Which coroutine that is; a new one where none was followed there. */
static struct coro *meet(struct follow *f, const struct task *task, bool is_task, bool first)
{
	struct coro *c = follow_find(f, task->addr);
	uint64_t id = is_task ? task->id : 0, word;
	bool left;

	if (c && id && c->task_id && c->task_id != id) {
		line_destroy(c, c->tid, f->target->taken, DONE_UNKNOWN);
		follow_forget(f, c);
		c = NULL;
	}
	if (!c) {
		if (is_task)
			c = follow_task(f, task->addr, id,
				libraries_module(f->target, 0, task->code));
		else
			c = follow_add(f, task->addr, 0);
		c->tid = task->tid;
		c->active = task->state == TASK_RUNS;
		c->sure = 0;
	}
	c->there = true;
	if (!is_task && !c->point && mem_word(f->target, c->addr, &word))
		c->point = points_with(word);
	/* One that ran before there were probes may have been left without one. */
	left = c->active && !c->run && task->state != TASK_RUNS;
	if (!first && c->n && c->sure == f->losses && !left)
		return c;
	/* More may have happened to it than is known: at least as much as changes its state. */
	c->active = first && c->run ? c->active : task->state == TASK_RUNS;
	if (task->state == TASK_CREATED || task->state == TASK_NEW)
		c->n = first || !c->n ? 1 : c->n;
	else
		c->n = first ? 2 : c->n + 2;
	c->last = f->target->taken;
	c->before = true;
	c->sure = f->losses;
	return c;
}

/* When that was closed it was not known yet that this one waits for it. */
static void close_again(const struct follow *f, const struct coro *c, uint64_t fd)
{
	const struct descriptor *d = hash_find(&f->descriptors, fd);

	if (d && d->ts > c->last)
		line_descriptor(false, d->ts, d->tid, d->by, fd);
}

static void print_legs(const struct follow *f, const struct task *task, const struct coro *c)
{
	char on[64];

	for (size_t i = 0; i < task->legs; i++)
		line_leg(c, c->last, on_text(f, &task->leg[i].on, on, sizeof(on)),
			task->leg[i].site, task->leg[i].stack);
}

static void print(struct follow *f, const struct task *task, struct coro *c)
{
	char on[64];
	struct state s = { .before = c->before,
		.legs = c->active ? 0 : task->legs,
		.all = task->all,
		.site = task->site,
		.stack = task->stack,
		.wakers = c->task ? task->wakers : -1,
		.refs = task->refs,
		.reason = task->reason,
		.doubt = task->doubt };

	if (!c->active) {
		print_legs(f, task, c);
		s.on = on_text(f, &task->on, on, sizeof(on));
	}
	if (!s.on && !s.legs && !c->active && c->watches == ONE) {
		snprintf(on, sizeof(on), "fd:%" PRIu64, c->fd);
		s.on = on;
	}
	line_state(c, c->last, &s);
	if (!c->active && task->on.kind == CTT_ON_FD && task->on.known)
		close_again(f, c, task->on.value);
	if (c->before && !c->active && (task->state == TASK_READY || task->state == TASK_NEW))
		line_wake(c, 0, c->last, 0);
	if (c->before)
		line_name(c, c->last, task->name);
}

static void print_hold(const struct follow *f, const struct hold *h)
{
	const struct coro *by = follow_find(f, h->by);
	char on[64];

	if (by && by->there)
		line_held(by, f->target->taken, on_text(f, &h->on, on, sizeof(on)),
			h->reached ? HOLD_DOUBT : NULL);
}

/* ---- all of them ---- */

/* A frame of a probed function that waits where it could only have come by a run, and nobody saw it
 * run: it was begun within its caller's code, if malloc has given it its memory, which free() would
 * have written its own words to. Else it is no frame, but what one left on the heap or a stack. */
static bool left_over(const struct follow *f, const struct task *task)
{
	const struct point *p;
	uint64_t word;

	return !f->losses && task->state == TASK_WAITS && !task->allocated &&
		!follow_find(f, task->addr) &&
		mem_word(f->target, task->addr, &word) && (p = points_with(word)) && !p->late;
}

/* Followed, and not among what was found: it has ended unseen; or it lies where no frames are
 * looked for, as within another frame. */
static bool lives_unseen(const struct follow *f, const struct coro *c)
{
	uint64_t word;

	return c->point && mem_word(f->target, c->addr, &word) && word == c->point->addr;
}

/* Of which modules any task was found: of another, what lists its tasks was not, as of a library that
 * was loaded late, and nothing says that they ended. To be freed. */
static bool *modules_read(const struct follow *f)
{
	bool *read = need(calloc(f->target->modules + 1, sizeof(*read)));
	const struct coro *c;

	for (size_t i = 0; (c = hash_each(&f->coros, &i));)
		if (c->there && c->task && c->module <= f->target->modules)
			read[c->module] = true;
	return read;
}

/* Tasks without an id are of a tokio whose headers nobody can read; one that has only been made may
 * not have its owner yet. */
static bool task_unseen(const struct follow *f, const struct coro *c, const bool *read)
{
	return !c->task_id || c->active ||
		(c->sure == f->losses &&
			(c->n == 1 || c->module > f->target->modules || !read[c->module]));
}

static uint64_t unseen(struct follow *f)
{
	struct coro **gone = need(calloc(f->coros.used + 1, sizeof(*gone))), *c;
	bool blind = false, *read = modules_read(f);
	uint64_t live = 0;
	size_t count = 0;

	for (size_t i = 0; (c = hash_each(&f->coros, &i));)
		if (!c->there)
			gone[count++] = c;
	for (size_t i = 0; i < count; i++) {
		c = gone[i];
		if (c->own || (c->task ? task_unseen(f, c, read) : lives_unseen(f, c))) {
			blind |= c->own || c->sure != f->losses;
			line_state(c, c->last,
				&(struct state){ .before = c->before, .wakers = -1, .refs = -1 });
			live++;
		} else {
			line_destroy(c, c->tid, f->target->taken, DONE_UNKNOWN);
			follow_forget(f, c);
		}
	}
	free(gone);
	free(read);
	return blind ? UINT64_MAX : live;
}

/* What is over, and awaited still: who awaits it is told by that. How many. */
static uint64_t end_those(struct follow *f, const struct snapshot *s, struct coro **met)
{
	uint64_t count = 0;

	for (size_t i = 0; i < s->tasks; i++) {
		if (!met[i] || !s->task[i].ended)
			continue;
		line_destroy(met[i], met[i]->tid, f->target->taken, DONE_UNKNOWN);
		follow_forget(f, met[i]);
		count++;
	}
	return count;
}

static void highest_ids(struct follow *f, const struct snapshot *s, size_t tasks_from)
{
	f->born_known = true;
	for (size_t i = tasks_from; i < s->tasks; i++)
		if (s->task[i].id > f->born_after &&
			libraries_module(f->target, 0, s->task[i].code) == f->ids)
			f->born_after = s->task[i].id;
}

uint64_t moment_states(struct follow *f, const struct runtimes *r, enum moment when)
{
	bool first = when == MOMENT_FIRST;
	struct snapshot s = { .target = f->target, .taken = f->target->taken, .sites = f->sites };
	struct coro **met, *c;
	size_t frames;
	uint64_t more, live = 0;

	if (r->cpp)
		cpp_runtime.read(&s);
	frames = s.tasks;
	if (r->memory)
		tokio_runtime.read(&s);
	if (first && r->memory)
		highest_ids(f, &s, frames);
	for (size_t i = 0; (c = hash_each(&f->coros, &i));)
		c->there = false;
	met = need(calloc(s.tasks + 1, sizeof(struct coro *)));
	for (size_t i = 0; i < s.tasks; i++)
		/* What a thread in block_on runs is polled by functions that have no probe. */
		met[i] = s.task[i].blocked || (!first && i < frames && left_over(f, &s.task[i])) ?
			NULL :
			meet(f, &s.task[i], i >= frames, first);
	for (size_t i = 0; i < s.tasks; i++)
		if (met[i]) {
			print(f, &s.task[i], met[i]);
			live++;
		}
	for (size_t i = 0; i < s.holds; i++)
		if (!s.hold[i].reached || when == MOMENT_LAST)
			print_hold(f, &s.hold[i]);
	live -= end_those(f, &s, met);
	more = unseen(f);
	more = more == UINT64_MAX ? more : more + live;
	for (size_t i = 0; i < points.count; i++)
		points.item[i]->late = false;
	free(met);
	snap_free(&s);
	return more;
}
