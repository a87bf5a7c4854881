/* cpp-heap.c - which of malloc's chunks are in use, by walking glibc's heaps. Contracts in cpp.h.
 *
 * A chunk's size stands 8 bytes before what malloc returned, its low bits are flags; bit 0: the
 * chunk before it is in use. A heap is believed where its chunks lead from somewhere near its start
 * exactly to its end. Chunks that free() keeps for threads of their own (tcache) count as in use
 * here, but it has written over their first words, so that they look like no frame.
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

void heap_walk(const struct target *t)
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
