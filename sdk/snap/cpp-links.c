/* cpp-links.c - which coroutine each frame awaits. Contracts in cpp.h. */
#include "cpp.h"

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
	*kind = k = frame_kind(destroy, resume);
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

/* One that clang put into another frame lives as long as that one, in which its memory may be of no use
 * by now: it lives where one that lives awaits it. */
static void doubt_within(void)
{
	for (size_t i = 0; i < cpp_frames.count; i++)
		cpp_frames.item[i].doubtful |= cpp_frames.item[i].within;
	for (size_t i = 0; i < cpp_frames.count; i++) {
		struct frame *f = cpp_frames.item[i].within ? NULL : &cpp_frames.item[i];

		/* who awaits it may itself lie in a frame */
		for (; f && f->child && f->child->within && f->child->doubtful; f = f->child)
			f->child->doubtful = false;
	}
}

void frames_link(const struct target *t)
{
	for (size_t i = 0; i < cpp_frames.count; i++)
		if (!cpp_frames.item[i].within)
			link_frame(t, &cpp_frames.item[i]);
	for (size_t i = 0; i < cpp_frames.count; i++)
		if (cpp_frames.item[i].within)
			link_frame(t, &cpp_frames.item[i]);
	doubt_within();
	for (size_t i = 0; i < cpp_frames.count; i++)
		link_awaited(t, &cpp_frames.item[i]);
}
