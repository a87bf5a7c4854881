/* tokio-queues.c - the runtimes whose tasks were seen, and how long their run queues are. Contracts
 * in tokio.h.
 *
 * Each task has a reference to its scheduler, whose type its cell's type has: from there lead
 * members known by name to the workers' queues. A worker's thread has a reference to its Worker on
 * its stack, and that to the scheduler: so each queue is its thread's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpp.h"
#include "tokio.h"

enum { RUNTIMES = 16, WORKERS = 1024 };

struct scheduler { uint64_t arc, at; Dwarf_Die type; };	/* arc: what refers to it; at: it */
static struct scheduler schedulers[RUNTIMES];
static size_t scheduler_count;

/* What an Arc at that address refers to. */
static bool arc(const struct target *t, uint64_t at, Dwarf_Die *type, struct scheduler *s)
{
	Dwarf_Die pointer, inner;

	if (!die_down(type, "pointer", &at, &pointer) || !mem_word(t, at, &s->arc) || !s->arc ||
		!die_type(&pointer, &inner))
		return false;
	s->at = s->arc;
	return die_member(&inner, "data", &s->at, &s->type);
}

void queues_note(const struct target *t, struct poll *p, uint64_t task)
{
	struct scheduler s;
	uint64_t at;

	if (!p->scheduler_at && !p->scheduler_none) {
		p->scheduler_none = !p->cell_known || p->ambiguous ||
			!die_members(&p->cell, "core.scheduler", &p->scheduler_at, &p->scheduler);
	}
	if (p->scheduler_none || !mem_word(t, task + p->scheduler_at, &at))
		return;
	for (size_t i = 0; i < scheduler_count; i++)
		if (schedulers[i].arc == at)
			return;
	if (scheduler_count < RUNTIMES && arc(t, task + p->scheduler_at, &p->scheduler, &s))
		schedulers[scheduler_count++] = s;
}

/* Of a struct Inner: what was pushed and not popped. Its head has two numbers, of whom is stealing
 * from it and, in the lower half, of what is next. */
static bool length(const struct target *t, uint64_t at, Dwarf_Die *type, uint64_t *len)
{
	uint64_t head = at, tail = at, size, mask;
	Dwarf_Die head_type, tail_type;

	if (!die_member(type, "head", &head, &head_type) ||
		!die_member(type, "tail", &tail, &tail_type))
		return false;
	size = die_size(&tail_type);
	if ((size != 2 && size != 4) || die_size(&head_type) != 2 * size)
		return false;
	mask = size == 2 ? UINT16_MAX : UINT32_MAX;
	*len = (mem_number(t, tail, size) - mem_number(t, head, size)) & mask;
	return *len <= 256;		/* tokio's LOCAL_QUEUE_CAPACITY: it is no queue else */
}

/* That of the worker of that number. */
static bool local(const struct target *t, const struct scheduler *s, uint64_t worker, uint64_t *len)
{
	Dwarf_Die type = s->type, remotes, pointer, remote, steal;
	uint64_t at = s->at, data = 0, steal_at = 0, count_at = 0, count, first;
	struct scheduler inner;

	if (!die_down(&type, "remotes", &at, &remotes) ||
		!die_member(&remotes, "data_ptr", &data, &pointer) ||
		!die_member(&remotes, "length", &count_at, NULL) ||
		!mem_word(t, at + data, &first) || !mem_word(t, at + count_at, &count) ||
		worker >= count || count > WORKERS || !die_type(&pointer, &remote) ||
		!die_member(&remote, "steal", &steal_at, &steal))
		return false;
	return arc(t, first + worker * die_size(&remote) + steal_at, &steal, &inner) &&
		length(t, inner.at, &inner.type, len);
}

static bool injected(const struct target *t, const struct scheduler *s, uint64_t *len)
{
	Dwarf_Die type = s->type, inject, of;
	uint64_t at = s->at;

	return die_down(&type, "inject", &at, &inject) && die_down(&inject, "len", &at, &of) &&
		mem_word(t, at, len) && *len < UINT32_MAX;
}

/* Is that an Arc's Worker of that scheduler? Its counts stand ahead of it, and it fills the memory
 * that it was given. */
static bool is_worker(const struct target *t, uint64_t at, const struct scheduler *s)
{
	enum { MANY = 1 << 20, SLACK = 32 };
	uint64_t strong, weak, owner, size = tokio.worker_size;
	enum chunk chunk;

	if (at % 8 || !mem_word(t, at + tokio.worker_owner_at, &owner) || owner != s->arc ||
		!mem_word(t, at, &strong) || !mem_word(t, at + 8, &weak) || !strong || !weak ||
		strong > MANY || weak > MANY)
		return false;
	chunk = heap_chunk(at, &size);
	return chunk == CHUNK_UNKNOWN ||
		(chunk == CHUNK_USED && size < tokio.worker_size + SLACK);
}

/* What is in the queue of the worker that a thread is. */
static bool own_queue(
	const struct target *t, const struct thread *th, const struct scheduler *s, uint64_t *len)
{
	enum { DEPTH = 1 << 13 };	/* words */
	uint64_t word, number;

	if (!tokio.worker_known || !th->role || strcmp(th->role, "worker"))
		return false;
	for (uint64_t at = th->sp & ~(uint64_t)7, end = at + DEPTH * 8;
		at && at < end && mem_word(t, at, &word); at += 8)
		if (is_worker(t, word, s) && mem_word(t, word + tokio.worker_index_at, &number) &&
			local(t, s, number, len))
			return true;
	return false;
}

void queues_report(struct snapshot *s)
{
	struct target *t = s->target;

	for (size_t i = 0; i < scheduler_count; i++) {
		const struct scheduler *of = &schedulers[i];
		uint64_t len;
		size_t workers = 0, queued = 0;

		for (size_t k = 0; k < t->threads; k++)
			if (own_queue(t, &t->thread[k], of, &len)) {
				t->thread[k].queue = (int64_t)len;
				workers++;
				queued += len;
			}
		if (injected(t, of, &len))
			note("runtime 0x%" PRIx64 ": %zu workers, %zu tasks in their queues, %" PRIu64
			     " in the injection queue\n",
				of->arc, workers, queued, len);
	}
	scheduler_count = 0;
}
