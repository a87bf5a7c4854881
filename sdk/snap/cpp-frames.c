/* cpp-frames.c - the suspended frames of C++20 coroutines in a process's memory. Contracts in cpp.h.
 *
 * A frame is two words, the second the destroy function of a coroutine, the first the resume
 * function of the same one, or 0 where it stands at its end. What has been destroyed and not
 * overwritten looks the same: gcc marks it by an odd index; clang does not, and malloc's own
 * structures have to say.
 */
#include <stdlib.h>
#include <string.h>

#include "cpp.h"
#include "search.h"

struct frames cpp_frames;

struct target_of { uint64_t destroy; struct kind *kind; };
static struct target_of *by_destroy;

static void index_kinds(void)
{
	by_destroy = calloc(cpp_kinds.count, sizeof(*by_destroy));
	need(by_destroy);
	for (size_t i = 0; i < cpp_kinds.count; i++)
		by_destroy[i] = (struct target_of){ cpp_kinds.item[i].destroy, &cpp_kinds.item[i] };
	qsort(by_destroy, cpp_kinds.count, sizeof(*by_destroy), by_number);
}

static struct kind *kind_of(uint64_t destroy, uint64_t resume)
{
	size_t i = first_from(by_destroy, cpp_kinds.count, sizeof(*by_destroy), destroy);

	/* Identical code folding may have made one function of several's. */
	for (; i < cpp_kinds.count && by_destroy[i].destroy == destroy; i++)
		if (!resume || by_destroy[i].kind->resume == resume)
			return by_destroy[i].kind;
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
		cpp_frames.stale++;
		return;
	}
	if (!resume) {
		cpp_frames.at_end++;
		return;
	}
	f.allocated = chunk == CHUNK_USED;
	f.doubtful = !f.allocated && !(k->gcc && k->layout);
	*ADD(cpp_frames.item, cpp_frames.count, cpp_frames.room) = f;
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

struct frame *frame_with(uint64_t addr, bool inside)
{
	const struct frame *f = last_up_to(
		cpp_frames.item, cpp_frames.count, sizeof(*cpp_frames.item), addr);

	if (!f || (!inside && f->addr != addr) || addr - f->addr >= f->size)
		return NULL;
	return &cpp_frames.item[f - cpp_frames.item];
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

/* Is there no coroutine any more where that handle leads? It may stand at its end, or be destroyed. */
static bool is_over(const struct target *t, uint64_t addr, struct kind **kind, uint64_t *size)
{
	uint64_t resume, destroy, index;
	enum chunk chunk;
	struct kind *k;

	*kind = NULL;
	*size = 16;
	chunk = heap_chunk(addr, size);
	if (chunk == CHUNK_FREE)
		return true;
	if (!mem_word(t, addr, &resume) || !mem_word(t, addr + 8, &destroy))
		return false;
	*kind = k = kind_of(destroy, resume);
	if (!k || on_stack(t, addr))
		return false;
	if (chunk != CHUNK_USED)
		*size = k->size ? k->size : k->promise_at + k->promise_size;
	index = mem_number(t, addr + k->index_at, 2);
	return !resume || (k->gcc && k->layout && index & 1);
}

/* Its awaiter may have the handle of the one it awaits, which may not know who awaits it. */
static void link_awaited(const struct target *t, struct frame *f)
{
	uint64_t awaited = f->child ? 0 : awaiter_says(t, f).awaited;
	struct frame *child = awaited ? frame_with(awaited, false) : NULL;

	if (child)
		f->child = child;
	else if (awaited && is_over(t, awaited, &f->dead_kind, &f->dead_size))
		f->dead = awaited;
}

void frames_find(const struct target *t)
{
	index_kinds();
	for (size_t i = 0; i < t->runs; i++)
		if (t->run[i].writable)
			scan_run(t, &t->run[i]);
	if (cpp_frames.count)
		qsort(cpp_frames.item, cpp_frames.count, sizeof(*cpp_frames.item), by_number);
	for (size_t i = 0; i < cpp_frames.count; i++)
		link_frame(t, &cpp_frames.item[i]);
	for (size_t i = 0; i < cpp_frames.count; i++)
		link_awaited(t, &cpp_frames.item[i]);
	free(by_destroy);
}

void frames_forget(void)
{
	free(cpp_frames.item);
	cpp_frames = (struct frames){ .item = NULL };
}
