/* cpp.c - the suspended frames of C++20 coroutines in a process's memory.
 *
 * A frame is two words, the second the destroy function of a coroutine, the first the resume
 * function of the same one, or 0 where it stands at its end. What has been destroyed and not
 * overwritten looks the same: gcc marks it by an odd index; clang does not, and malloc's own
 * structures have to say.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpp.h"

struct frame {
	uint64_t addr, index, size;
	struct kind *kind;
	struct frame *child;	/* the one it awaits */
	uint32_t refs, tid;
	bool doubtful;
};
static struct frame *frames;
static size_t frame_count, frame_room, at_end, stale;
#define MAX_TEXT (1 << 20)		/* no coroutine is longer: a bound of where to look for the one around an address */

struct target_of { uint64_t destroy; struct kind *kind; };
static struct target_of *by_destroy;

static int order_destroy(const void *a, const void *b)
{
	const struct target_of *x = a, *y = b;

	return x->destroy < y->destroy ? -1 : x->destroy > y->destroy;
}

static void index_kinds(void)
{
	by_destroy = calloc(cpp_kinds.count, sizeof(*by_destroy));
	need(by_destroy);
	for (size_t i = 0; i < cpp_kinds.count; i++)
		by_destroy[i] = (struct target_of){ cpp_kinds.item[i].destroy, &cpp_kinds.item[i] };
	qsort(by_destroy, cpp_kinds.count, sizeof(*by_destroy), order_destroy);
}

static bool find(struct target *t, struct take *want)
{
	if (!kinds_find(t))
		return false;
	want->heap = true;
	return true;
}

static struct kind *kind_of(uint64_t destroy, uint64_t resume)
{
	size_t lo = 0, hi = cpp_kinds.count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_destroy[mid].destroy < destroy)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* Identical code folding may have made one function of several's. */
	for (; lo < cpp_kinds.count && by_destroy[lo].destroy == destroy; lo++)
		if (!resume || by_destroy[lo].kind->resume == resume)
			return by_destroy[lo].kind;
	return NULL;
}

static void keep(const struct target *t, struct kind *k, uint64_t addr, uint64_t resume)
{
	struct frame f = { .addr = addr,
		.kind = k,
		.size = k->size ? k->size : k->promise_at + k->promise_size + !k->promise_size };
	enum chunk chunk = heap_chunk(addr, &f.size);

	if (k->layout && k->index_bits && k->index_bits <= 32)
		f.index =
			mem_number(t, addr + k->index_at, 4 + !!k->index_shift) >> k->index_shift &
			((1ull << k->index_bits) - 1);
	if (on_stack(t, addr))		/* what an optimiser keeps there to copy it into frames */
		return;
	if (chunk == CHUNK_FREE ||
		(k->gcc && k->layout && (f.index & 1 || f.index > 2 * k->awaiters + 4))) {
		stale++;
		return;
	}
	if (!resume) {
		at_end++;
		return;
	}
	f.doubtful = chunk != CHUNK_USED && !(k->gcc && k->layout);
	*ADD(frames, frame_count, frame_room) = f;
}

/* memory's words; runs begin and end at pages, or nearly so in a core. */
static void scan_run(const struct target *t, const struct run *r)
{
	const uint64_t *w = (const void *)r->copy;
	size_t count = (r->end - r->start) / 8;
	uint64_t low = by_destroy[0].destroy, high = by_destroy[cpp_kinds.count - 1].destroy;

	for (size_t i = 1; i < count; i++) {
		struct kind *k = w[i] < low || w[i] > high ? NULL : kind_of(w[i], w[i - 1]);

		if (k)
			keep(t, k, r->start + (i - 1) * 8, w[i - 1]);
	}
}

static int by_addr(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The frame around an address: at its beginning, or anywhere in it. */
static struct frame *frame_with(uint64_t addr, bool inside)
{
	size_t lo = 0, hi = frame_count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (frames[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || (!inside && frames[lo - 1].addr != addr))
		return NULL;
	lo--;
	return addr - frames[lo].addr < frames[lo].size ? &frames[lo] : NULL;
}

/* Whoever is in its promise to be resumed when it ends awaits it. */
static void link_frame(const struct target *t, struct frame *f)
{
	const struct kind *k = f->kind;
	bool all = !k->handles;		/* a promise may keep an address instead of a handle */
	size_t count = all ? k->promise_size / 8 : k->handles;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = f->addr + (all ? k->promise_at + i * 8 : k->handle[i]), value;
		struct frame *awaiter = mem_word(t, at, &value) ? frame_with(value, false) : NULL;

		if (awaiter && awaiter != f && !awaiter->child)
			awaiter->child = f;
	}
}

/* ---- what runs ---- */

static bool runs_kind(const struct thread *th, const struct kind *k)
{
	for (size_t i = 0; i < th->calls; i++)
		if (th->call[i] >= k->resume && th->call[i] < k->resume + k->text_size)
			return true;
	return false;
}

/* A thread runs a frame when it is in its function, and the frame's address is in a register or on
 * its stack. */
static void running(const struct target *t, const struct thread *th)
{
	enum { DEPTH = 1 << 15 };	/* words */
	uint64_t word, end = th->sp + DEPTH * 8;
	bool any = false;

	for (size_t i = 0; i < th->calls && !any; i++)
		any = kind_with(
			th->call[i] > MAX_TEXT ? th->call[i] - MAX_TEXT : 0, th->call[i] + 1);
	for (size_t i = 0; i < REGISTERS && any; i++) {
		struct frame *f = frame_with(th->reg[i], false);

		if (f && runs_kind(th, f->kind))
			f->tid = th->tid;
	}
	for (uint64_t at = th->sp; any && at < end && mem_word(t, at, &word); at += 8) {
		struct frame *f = frame_with(word, false);

		if (f && !f->tid && runs_kind(th, f->kind))
			f->tid = th->tid;
	}
}

/* ---- who refers to them ---- */

/* Memory that was freed, or is below a thread's stack pointer, refers to nothing. */
static bool dead_word(const struct target *t, uint64_t at)
{
	const struct mapping *m;
	uint64_t size = 8;

	if (heap_chunk(at, &size) == CHUNK_FREE)
		return true;
	m = map_at(t, at);
	for (size_t i = 0; m && i < t->threads; i++)
		if (t->thread[i].sp >= m->start && t->thread[i].sp < m->end &&
			at + 128 < t->thread[i].sp)
			return true;
	return false;
}

/* Who awaits it has it, too, but runs only when it is done. from: where the word is, 0: not in
 * memory. */
static void refer(const struct target *t, uint64_t word, uint64_t from)
{
	struct frame *f = frame_with(word, true),
		     *owner = f && from ? frame_with(from, true) : NULL;

	if (f && owner != f && !(owner && owner->child == f) && !(from && dead_word(t, from)))
		f->refs++;
}

/* The kernel keeps what epoll_ctl was given. False: something keeps references that cannot be
 * seen. */
static bool refer_kernel(const struct target *t)
{
	char path[300], link[64], line[200];
	struct dirent *e;
	DIR *dir;
	bool seen = true;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", t->pid);
	dir = t->live ? opendir(path) : NULL;
	if (!dir)
		return false;
	while ((e = readdir(dir))) {
		ssize_t len;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/fd/%s", t->pid, e->d_name);
		len = readlink(path, link, sizeof(link) - 1);
		link[len < 0 ? 0 : len] = '\0';
		seen &= !strstr(link, "io_uring");
		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%s", t->pid, e->d_name);
		f = strstr(link, "eventpoll") ? fopen(path, "r") : NULL;
		while (f && fgets(line, sizeof(line), f)) {
			const char *data = strstr(line, "data:");

			if (data)
				refer(t, strtoull(data + 5, NULL, 16), 0);
		}
		if (f)
			fclose(f);
	}
	closedir(dir);
	for (size_t i = 0; i < t->maps; i++)
		seen &= !(t->map[i].write && t->map[i].shared) && !strstr(t->map[i].path, "[aio]");
	return seen;
}

/* Every word in memory and registers that lies in a frame, from outside of it. */
static bool count_refs(const struct target *t)
{
	uint64_t low = frames[0].addr,
		 high = frames[frame_count - 1].addr + frames[frame_count - 1].size;

	if (!refer_kernel(t))
		return false;
	for (size_t i = 0; i < t->runs; i++) {
		const uint64_t *w = (const void *)t->run[i].copy;
		size_t count = t->run[i].writable ? (t->run[i].end - t->run[i].start) / 8 : 0;

		for (size_t n = 0; n < count; n++)
			if (w[n] >= low && w[n] < high)
				refer(t, w[n], t->run[i].start + n * 8);
	}
	for (size_t i = 0; i < t->threads; i++)
		for (size_t n = 0; n < REGISTERS; n++)
			refer(t, t->thread[i].reg[n], 0);
	return true;
}

/* ---- what they are ---- */

static uint32_t frame_site(struct snapshot *s, const struct frame *f)
{
	struct kind *k = f->kind;
	const struct await *a = await_at(k, f->index);
	uint32_t *site = &k->site[a ? (size_t)(a - k->await) : k->awaits];
	char *name;

	if (*site)
		return *site;
	name = k->func && *k->func ? strdup(k->func) : kind_name(k->stem, k->gcc);
	*site = site_of(s->sites, name, a ? a->file : k->file, a ? a->line : 0);
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
	return strdup(text);
}

static void add(struct snapshot *s, const struct frame *f, bool refs)
{
	const struct kind *k = f->kind;
	const unsigned char *bytes = mem_at(s->target, f->addr, f->size);
	struct task *task = snap_task(s);

	task->addr = f->addr;
	task->site = frame_site(s, f);
	task->name = frame_name(s->target, f);
	task->tid = f->tid;
	task->mark = mark_of(f->index, bytes, bytes ? f->size : 0);
	task->refs = refs ? (int64_t)f->refs : -1;
	if (f->tid)
		task->state = TASK_RUNS;
	else if (k->layout && f->index == (k->gcc ? 2 : 0) && k->starts_suspended)
		task->state = TASK_CREATED;
	if (f->child)
		task->on = (struct wait_on){ CTT_ON_CORO, true, true, f->child->addr };
	else
		awaiter_wait(s->target, k, f->addr, f->index, &task->on);
	if (f->doubtful)
		task->doubt = !k->layout ? "no debug information says whether it was destroyed" :
			"not in a chunk of malloc's own: it may have been destroyed";
}

static void report(size_t without_line)
{
	note("%zu C++20 frames%s%zu at their end%s%zu destroyed before; %zu without a line\n",
		frame_count, ", ", at_end, ", ", stale, without_line);
}

static void read_frames(struct snapshot *s)
{
	const struct target *t = s->target;
	size_t without_line = 0;
	bool refs;

	index_kinds();
	heap_walk(t);
	for (size_t i = 0; i < t->runs; i++)
		if (t->run[i].writable)
			scan_run(t, &t->run[i]);
	if (frame_count)
		qsort(frames, frame_count, sizeof(*frames), by_addr);
	for (size_t i = 0; i < frame_count; i++)
		link_frame(t, &frames[i]);
	unwind(s->target);
	for (size_t i = 0; i < t->threads && frame_count; i++)
		running(t, &t->thread[i]);
	refs = frame_count && !t->moving && count_refs(t);
	for (size_t i = 0; i < frame_count; i++) {
		without_line += !await_at(frames[i].kind, frames[i].index);
		add(s, &frames[i], refs);
	}
	report(without_line);
	free(by_destroy);
	free(frames);
	frames = NULL;
	frame_count = frame_room = at_end = stale = 0;
	heap_forget();
}

const struct runtime cpp_runtime = { "C++20 coroutines", find, read_frames, kinds_free };
