/* cpp-apart.c - what a frame waits on where its awaiter was taken apart: of the things of the
 * class that the awaiter is known to wait on, the one that has the frame in its queue.
 * Contracts in cpp.h. */
#include <string.h>

#include "cpp.h"

enum { DEEP = 16, LARGEST = 4096, MOST = 1024 };

struct queue {
	const struct target *t;
	const struct frame *of;
	unsigned left;		/* so many words are still looked at */
};

static bool leads_back(struct queue *q, uint64_t from, uint64_t end, int depth);

/* What one word leads to: memory of malloc's, of which only the part up to `last` is in use, or an
 * awaiter in another frame, which has the next one's address. */
static bool follow(struct queue *q, uint64_t word, uint64_t last, int depth)
{
	enum { NODE = 4 * 8 };
	struct frame *other = frame_with(word, true);
	uint64_t size = 8, start = heap_start(word);

	if (other)
		return word != other->addr && leads_back(q, word, word + NODE, depth - 1);
	if (!start)
		return false;
	if (last >= word && heap_start(last) == start)
		return leads_back(q, word, last, depth - 1);
	return heap_chunk(start, &size) == CHUNK_USED && size <= LARGEST &&
		leads_back(q, start, start + size, depth - 1);
}

/* libstdc++'s deque: a table of blocks, and where the first and the next element are: in the block, where it
 * begins and ends, and its word in the table. What was taken out stands there still, before the first. */
struct deque {
	uint64_t table, size;
	struct { uint64_t at, start, end, block; } first, next;
};

static bool is_deque(const struct target *t, uint64_t at, struct deque *d)
{
	uint64_t first, next;

	return mem_read(t, at, d, sizeof(*d)) && d->size && d->first.block >= d->table &&
		d->next.block >= d->first.block && (d->next.block - d->table) / 8 < d->size &&
		mem_word(t, d->first.block, &first) && first == d->first.start &&
		mem_word(t, d->next.block, &next) && next == d->next.start &&
		d->first.at >= d->first.start && d->first.at <= d->first.end &&
		d->next.at >= d->next.start && d->next.at <= d->next.end &&
		d->first.end - d->first.start == d->next.end - d->next.start;
}

static bool deque_leads_back(struct queue *q, const struct deque *d, int depth)
{
	uint64_t size = d->first.end - d->first.start, start;

	for (uint64_t block = d->first.block; block <= d->next.block && q->left; block += 8)
		if (mem_word(q->t, block, &start) &&
			leads_back(q, block == d->first.block ? d->first.at : start,
				block == d->next.block ? d->next.at : start + size, depth))
			return true;
	return false;
}

static bool leads_back(struct queue *q, uint64_t from, uint64_t end, int depth)
{
	const struct frame *f = q->of;
	uint64_t word, next;
	struct deque d;

	for (uint64_t at = from; at + 8 <= end && q->left && mem_word(q->t, at, &word); at += 8) {
		q->left--;
		if (depth && at + sizeof(d) <= end && word && is_deque(q->t, at, &d)) {
			if (deque_leads_back(q, &d, depth - 1))
				return true;
			at += sizeof(d) - 8;
			continue;
		}
		if (word >= f->addr && word < f->addr + f->size)
			return true;
		if (!mem_word(q->t, at + 8, &next))
			next = 0;
		if (depth && word && follow(q, word, next, depth))
			return true;
	}
	return false;
}

bool thing_queues(const struct target *t, const struct frame *f, Dwarf_Die *class, uint64_t owner,
	uint64_t at)
{
	struct queue q = { t, f, MOST };
	uint64_t size = die_size(class);

	if (owner >= size)
		return leads_back(&q, at, at + size, DEEP);
	return leads_back(&q, at, at + owner, DEEP) ||
		leads_back(&q, at + owner + 8, at + size, DEEP);
}

bool thing_apart(const struct target *t, const struct frame *f, Dwarf_Die *class, uint64_t owner,
	uint64_t *at)
{
	uint64_t word, found = 0;

	for (size_t i = 0; i < f->kind->slots; i++) {
		if (!slot_of(&f->kind->slot[i], class) ||
			!mem_word(t, f->addr + f->kind->slot[i].at, &word) || word == found ||
			!thing_queues(t, f, class, owner, word))
			continue;
		if (found)
			return false;
		found = word;
	}
	*at = found;
	return found;
}
