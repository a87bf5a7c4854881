/* cpp-heap.c - which of malloc's chunks are in use, by walking glibc's heaps. Contracts in cpp.h.
 *
 * A chunk's size stands 8 bytes before what malloc returned, its low bits are flags; bit 0: the
 * chunk before it is in use. A heap is believed where its chunks lead from somewhere near its start
 * exactly to its end. Chunks that free() keeps for a thread of its own (tcache) look as if in use, and
 * are found by that thread's lists of them, as glibc 2.32 to 2.41 has them; those of fastbins count as
 * in use, but free() has written over their first words, so that they look like no frame.
 */
#include <stdlib.h>
#include <string.h>

#include "cpp.h"
#include "search.h"

struct chunk_at { uint64_t at, size; bool used; };
static struct chunk_at *chunks;
static size_t count, room;

static uint64_t size_of(const struct target *t, uint64_t chunk)
{
	return mem_number(t, chunk + 8, 8) & ~(uint64_t)7;
}

/* Do chunks lead from there exactly to the end? With `keep`, note them. */
static bool leads_to(const struct target *t, uint64_t from, uint64_t end, bool keep)
{
	for (uint64_t at = from; at < end;) {
		uint64_t size = size_of(t, at);

		if (size < 32 || size % 16 || size > end - at)
			return false;
		if (keep) {
			*ADD(chunks, count, room) = (struct chunk_at){ at + 16, size,
				at + size < end && (mem_number(t, at + size + 8, 8) & 1) };
		}
		at += size;
	}
	return true;
}

/* The first of them follows what malloc keeps of the heap itself. */
static void walk(const struct target *t, uint64_t start, uint64_t end)
{
	enum { NEAR = 8192 };

	for (uint64_t at = start; at < start + NEAR && at + 32 <= end; at += 16) {
		if (size_of(t, at) < 32 || !leads_to(t, at, end, false))
			continue;
		leads_to(t, at, end, true);
		return;
	}
}

/* ---- what free() keeps for a thread ---- */

enum { BINS = 64, MOST = 127, CACHE_CHUNK = 0x290 };

static struct chunk_at *chunk_at(uint64_t at)
{
	size_t i = first_from(chunks, count, sizeof(*chunks), at);

	return i < count && chunks[i].at == at ? &chunks[i] : NULL;
}

/* Each of a list's chunks has the next's address, xored with a part of its own. False: it is no such
 * list. With `mark`, they are free. */
static bool bin(const struct target *t, uint64_t at, unsigned number, unsigned length, bool mark)
{
	for (; length; length--) {
		struct chunk_at *c = at ? chunk_at(at) : NULL;
		uint64_t next;

		if (!c || c->size != 32 + 16 * number || !mem_word(t, at, &next))
			return false;
		if (mark)
			c->used = false;
		at = next ^ at >> 12;
	}
	return !at;
}

static bool is_cache(const struct target *t, uint64_t at, bool mark)
{
	bool any = false;

	for (unsigned i = 0; i < BINS; i++) {
		unsigned length = (unsigned)mem_number(t, at + 2 * i, 2);

		any |= length;
		if (length > MOST)
			return false;
		if (!bin(t, mem_number(t, at + 2 * BINS + 8 * i, 8), i, length, mark))
			return false;
	}
	return any;
}

/* A thread's lists lie in a chunk of their own. */
static void free_cached(const struct target *t)
{
	for (size_t i = 0; i < count; i++) {
		const struct chunk_at *c = &chunks[i];

		if (c->size == CACHE_CHUNK && c->used && is_cache(t, c->at, false))
			is_cache(t, c->at, true);
	}
}

/* A thread that runs on a stack of the program's own, as a fiber's, in a chunk: that is its stack. */
static void set_stacks(struct target *t)
{
	for (size_t i = 0; i < t->threads; i++) {
		struct thread *th = &t->thread[i];
		const struct chunk_at *c = last_up_to(chunks, count, sizeof(*chunks), th->sp);

		th->high = 0;
		if (c && c->used && th->sp < c->at + c->size - 8) {
			th->low = c->at;
			th->high = c->at + c->size - 8;
		}
	}
}

void heap_walk(struct target *t)
{
	enum { HEAP = 64 << 20 };

	for (size_t i = 0; i < t->maps && t->live; i++) {
		const struct mapping *m = &t->map[i];
		uint64_t grown = *m->path || m->start % HEAP ? 0 : mem_number(t, m->start + 16, 8);

		/* What a thread's heap has grown to stands in its head, behind two pointers. */
		if (!strcmp(m->path, "[heap]"))
			walk(t, m->start, m->end);
		else if (grown && grown <= m->end - m->start)
			walk(t, m->start, m->start + grown);
	}
	for (size_t i = 0; i < t->runs && !t->live; i++)	/* a core does not name them */
		if (t->run[i].writable)
			walk(t, t->run[i].start, t->run[i].end);
	if (count)
		qsort(chunks, count, sizeof(*chunks), by_number);
	free_cached(t);
	set_stacks(t);
}

/* The last 8 bytes of a chunk are the next one's, while it is free. */
enum chunk heap_chunk(uint64_t addr, uint64_t *size)
{
	const struct chunk_at *c = last_up_to(chunks, count, sizeof(*chunks), addr);

	if (!c || addr >= c->at + c->size - 8)
		return CHUNK_UNKNOWN;
	if (!c->used || addr + *size > c->at + c->size - 8)
		return CHUNK_FREE;
	if (addr != c->at)
		return CHUNK_INSIDE;
	*size = c->size - 8;
	return CHUNK_USED;
}

uint64_t heap_start(uint64_t addr)
{
	const struct chunk_at *c = last_up_to(chunks, count, sizeof(*chunks), addr);

	return c && addr < c->at + c->size - 8 && c->used ? c->at : 0;
}

void heap_forget(void)
{
	free(chunks);
	chunks = NULL;
	count = room = 0;
}
