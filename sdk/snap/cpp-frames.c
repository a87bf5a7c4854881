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
static struct target_of *by_destroy;	/* or by cleanup */
static size_t destroys;

static void index_kinds(void)
{
	by_destroy = need(calloc(cpp_kinds.count, 2 * sizeof(*by_destroy)));
	destroys = 0;
	for (size_t i = 0; i < cpp_kinds.count; i++) {
		struct kind *k = &cpp_kinds.item[i];

		by_destroy[destroys++] = (struct target_of){ k->destroy, k };
		if (k->cleanup && k->cleanup != k->destroy)
			by_destroy[destroys++] = (struct target_of){ k->cleanup, k };
	}
	qsort(by_destroy, destroys, sizeof(*by_destroy), by_number);
}

struct kind *frame_kind(uint64_t destroy, uint64_t resume)
{
	size_t i = first_from(by_destroy, destroys, sizeof(*by_destroy), destroy);

	/* Identical code folding may have made one function of several's. */
	for (; i < destroys && by_destroy[i].destroy == destroy; i++)
		if (!resume || by_destroy[i].kind->resume == resume)
			return by_destroy[i].kind;
	return NULL;
}

static void keep(
	const struct target *t, struct kind *k, uint64_t addr, uint64_t resume, uint64_t destroy)
{
	struct frame f = { .addr = addr,
		.kind = k,
		.size = k->size ? k->size : k->promise_at + k->promise_size + !k->promise_size };
	enum chunk chunk = heap_chunk(addr, &f.size);

	if (k->layout && k->index_bits && k->index_bits <= 32)
		f.index =
			mem_number(t, addr + k->index_at, 4 + !!k->index_shift) >> k->index_shift &
			((1ull << k->index_bits) - 1);
	if (on_stack(t, addr)) {
		/* or what an optimiser keeps there to copy it into frames */
		cpp_frames.on_stacks += resume && destroy == k->cleanup;
		return;
	}
	if (chunk == CHUNK_FREE ||
		(k->gcc && k->layout && (f.index & 1 || f.index > 2 * k->awaiters + 4))) {
		cpp_frames.stale++;
		return;
	}
	if (!resume) {
		cpp_frames.at_end++;
		return;
	}
	f.within = destroy == k->cleanup;
	f.allocated = chunk == CHUNK_USED;
	f.doubtful = !f.allocated && !(k->gcc && k->layout);
	*ADD(cpp_frames.item, cpp_frames.count, cpp_frames.room) = f;
}

/* memory's words; runs begin and end at pages, or nearly so in a core. */
static void scan_run(const struct target *t, const struct run *r)
{
	const uint64_t *w = (const void *)r->copy;
	size_t count = (r->end - r->start) / 8;
	uint64_t low = by_destroy[0].destroy, high = by_destroy[destroys - 1].destroy;

	for (size_t i = 1; i < count; i++) {
		struct kind *k = w[i] < low || w[i] > high ? NULL : frame_kind(w[i], w[i - 1]);

		if (k)
			keep(t, k, r->start + (i - 1) * 8, w[i - 1], w[i]);
	}
}

struct frame *frame_with(uint64_t addr, bool inside)
{
	enum { NESTED = 16 };
	const struct frame *f = last_up_to(
		cpp_frames.item, cpp_frames.count, sizeof(*cpp_frames.item), addr);

	if (!f || (!inside && f->addr != addr))
		return NULL;
	for (int i = 0; i < NESTED; i++, f--) {
		if (addr - f->addr < f->size)
			return &cpp_frames.item[f - cpp_frames.item];
		if (!f->within || f == cpp_frames.item)
			break;
	}
	return NULL;
}

void frames_find(const struct target *t)
{
	index_kinds();
	for (size_t i = 0; i < t->runs; i++)
		if (t->run[i].writable)
			scan_run(t, &t->run[i]);
	if (cpp_frames.count)
		qsort(cpp_frames.item, cpp_frames.count, sizeof(*cpp_frames.item), by_number);
}

void frames_forget(void)
{
	free(by_destroy);
	free(cpp_frames.item);
	cpp_frames = (struct frames){ .item = NULL };
}
