/* tokio-locks.c - which task has which of tokio's locks, and ends of channels. Contracts in tokio.h.
 *
 * A lock does not store its owner: it is a semaphore, and who has a guard has its permit. So every
 * guard in every task's future is looked for, by type. One that was dropped may stand there still,
 * and one that is a thread's or lies in a box that no future leads to is not seen; but whoever has
 * a lock has a word that is its address. Where each such word in memory lies in a future whose
 * types are known, the guards that were found are all there are, and one of them is the owner's;
 * else nothing is said of it. Likewise of channels, for which somebody waits: who has the other end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cpp.h"
#include "search.h"
#include "tokio.h"

enum { DEEP = 40, COUNTS = 16 };

/* lock: the word by which the guard refers to it */
struct guard {
	uint64_t semaphore, lock, task;
	enum ctt_on_kind kind;	/* MUTEX, or an end: CHAN, ROOM; both words are the channel then */
	bool mutex;
	bool given;		/* no guard yet: a permit that was given to who waits */
};
struct range { uint64_t start, end; };
static struct guard *guards;
static size_t guard_count, guard_room;
/* known: futures whose every member was seen; opaque: parts of them that may have a guard */
static struct { struct range *item; size_t count, room; } known, opaque;
static struct hash may_hold;		/* by a type's entry: can a guard be in it? */
static size_t left;			/* so many members of a future are looked at still */
static const char yes[1], no[1];

/* Of a struct, a union, an enum's variants, an array. */
static bool holds(Dwarf_Die *type, int depth)
{
	uint64_t key = (uint64_t)(uintptr_t)type->addr;
	const char *had = hash_find(&may_hold, key);
	int tag = dwarf_tag(type);
	Dwarf_Die of;
	bool any;

	if (had || depth > DEEP)
		return had != no;
	if (tag == DW_TAG_array_type)
		any = die_type(type, &of) && holds(&of, depth + 1);
	else if (tag != DW_TAG_structure_type && tag != DW_TAG_union_type)
		any = false;
	else
		any = is_guard(type) || is_acquire(type) || is_end(type) || is_permit(type) ||
			die_any_part(type, false, holds, depth);
	hash_add(&may_hold, key, (void *)(any ? yes : no));
	return any;
}

static void unknown_in(uint64_t at, uint64_t size)
{
	*ADD(opaque.item, opaque.count, opaque.room) = (struct range){ at, at + size };
}

static void walk(const struct target *, struct guard, uint64_t at, Dwarf_Die *type, int depth,
	bool locks);

/* Who has the receiver has what nobody has received yet. */
struct mailbox { const struct target *target; uint64_t task; int depth; };

static void message(void *arg, enum message is, uint64_t at, uint64_t size, Dwarf_Die *type)
{
	const struct mailbox *of = arg;

	reach_message(is, at, size);
	if (is == MESSAGE_BLOCK)
		locks_none_in(at, size);
	else if (is == MESSAGE_UNKNOWN)
		unknown_in(at, size);
	else	/* it may have a receiver in it, and so on */
		walk(of->target, (struct guard){ .task = of->task, .kind = CTT_ON_MUTEX }, at, type,
			of->depth + 4, false);
}

/* locks: it is a part of a future of theirs, not of a channel's, say */
static void walk(
	const struct target *t, struct guard g, uint64_t at, Dwarf_Die *type, int depth, bool locks)
{
	Dwarf_Die m, of, member;
	uint64_t fields_at;

	if (!holds(type, depth))
		return;
	if (depth > DEEP || !left || !--left || dwarf_tag(type) != DW_TAG_structure_type) {
		unknown_in(at, die_size(type));
		return;
	}
	if (is_end(type)) {
		struct wait_on end;
		Dwarf_Die common;

		if (!end_of(t, at, type, &end, &common))
			return;
		g.kind = end.kind;
		g.semaphore = g.lock = end.value;
		*ADD(guards, guard_count, guard_room) = g;
		if (common.addr)
			reach_channel(end.value, &common);
		if (common.addr && !holds(&common, 0))	/* its items are elsewhere, or no ends */
			locks_none_in(end.value, die_size(&common));
		if (common.addr && end.kind == CTT_ON_ROOM)
			messages_each(t, end.value, &common, message,
				&(struct mailbox){ t, g.task, depth });
		return;
	}
	if (is_guard(type) || is_acquire(type)) {
		g.mutex = is_mutex_guard(type);
		g.given = !is_guard(type);
		if (g.given ? locks && was_given(t, at, type, &g.semaphore, &g.lock) :
			      guard_of(t, at, type, &g.semaphore, &g.lock))
			*ADD(guards, guard_count, guard_room) = g;
		return;
	}
	if (is_permit(type) && permit_of(t, at, type, &g.semaphore)) {
		*ADD(guards, guard_count, guard_room) = (struct guard){ g.semaphore, g.semaphore,
			g.task, CTT_ON_ROOM, false, false };
		reach_permit(g.task, g.semaphore);
	}
	locks |= is_of_locks(type);
	if (die_variant(t, at, type, &member, &of, &fields_at)) {
		walk(t, g, fields_at, &of, depth + 1, locks);
		return;
	}
	if (!dwarf_child(type, &m))
		do
			if (dwarf_tag(&m) == DW_TAG_member && die_type(&m, &of))
				walk(t, g, at + die_number(&m, DW_AT_data_member_location, 0), &of,
					depth + 1, locks);
		while (!dwarf_siblingof(&m, &m));
}

/* What is allocated is of one type; behind that is nothing. */
void locks_none_in(uint64_t at, uint64_t size)
{
	heap_chunk(at, &size);
	*ADD(known.item, known.count, known.room) = (struct range){ at, at + size };
}

void locks_walk(const struct target *t, uint64_t task, uint64_t at, Dwarf_Die *type)
{
	locks_none_in(at, die_size(type));
	reach_future(task, at, type);
	left = DIE_MEMBERS;
	walk(t, (struct guard){ .task = task, .kind = CTT_ON_MUTEX }, at, type, 0, false);
}

/* ---- whether others may have them ---- */

/* In order, none within another. */
static void merge_ranges(struct range *r, size_t *count)
{
	size_t kept = 0;

	if (*count)
		qsort(r, *count, sizeof(*r), by_number);
	for (size_t i = 0; i < *count; i++)
		if (kept && r[i].start <= r[kept - 1].end)
			r[kept - 1].end = r[i].end > r[kept - 1].end ? r[i].end : r[kept - 1].end;
		else
			r[kept++] = r[i];
	*count = kept;
}

static bool in_ranges(const struct range *r, size_t count, uint64_t at)
{
	r = last_up_to(r, count, sizeof(*r), at);
	return r && at < r->end;
}

/* around: where the allocation that it lies in begins */
struct lock { uint64_t addr, around; bool doubted; };

/* Code may keep the address of what is around a lock instead, or for a static none at all. */
static void set_around(const struct target *t, struct lock *l)
{
	enum { AROUND = 4096 };
	const struct mapping *m = map_at(t, l->addr);
	uint64_t size = 8;

	l->around = heap_start(l->addr);
	if (!l->around)		/* nothing is around what lies before an allocation */
		l->around = l->addr - (heap_chunk(l->addr, &size) == CHUNK_FREE ? 0 : AROUND);
	l->doubted = m && *m->path && *m->path != '[';
}

static void doubt(struct lock *of, size_t count, uint64_t word)
{
	size_t i = first_from(of, count, sizeof(*of), word);

	for (; i < count && of[i].addr == word; i++)
		of[i].doubted = true;
}

static bool is_known(uint64_t at)
{
	return in_ranges(known.item, known.count, at) &&
		!in_ranges(opaque.item, opaque.count, at);
}

static void doubt_near(struct lock *of, size_t count, uint64_t word)
{
	enum { FURTHER = 256, INSIDE = 64 };	/* words of neighbours, at most so many */
	size_t i = first_from(of, count, sizeof(*of), word < INSIDE ? 0 : word - INSIDE);

	for (size_t k = 0; i < count && k < FURTHER; i++, k++)
		of[i].doubted |= word >= of[i].around && word <= of[i].addr + INSIDE;
}

struct doubts { struct lock *of; size_t count; uint64_t low; };

static void doubt_word(void *arg, uint64_t at, uint64_t word)
{
	const struct doubts *d = arg;

	if (word >= d->low && (!at || !is_known(at)))
		doubt_near(d->of, d->count, word);
}

/* step: 1: also words at odd addresses, as in a packed structure */
static void doubt_memory(const struct target *t, struct lock *of, size_t count, size_t step)
{
	for (size_t i = 0; i < t->runs; i++) {
		const struct run *r = &t->run[i];

		for (size_t n = 0; r->writable && n + 8 <= r->end - r->start; n += step) {
			uint64_t at = r->start + n, size = 8, word;

			memcpy(&word, r->copy + n, sizeof(word));
			if (word < of[0].addr || word > of[count - 1].addr || is_known(at) ||
				on_stack(t, at) || heap_chunk(at, &size) == CHUNK_FREE)
				continue;
			doubt(of, count, word);
		}
	}
}

/* Are all its permits there? Then whoever seems to have one had it. */
static bool is_free(const struct target *t, const struct guard *g)
{
	enum { READERS = UINT32_MAX >> 3 };	/* tokio's MAX_READS, which a RwLock has at first */
	uint64_t permits = semaphore_permits(t, g->semaphore);

	return permits == UINT64_MAX || (g->mutex ? permits : permits == READERS);
}

/* Every word that a guard of one of them could have: as those that were found; one of a mapped
 * guard; one of an owned guard, an Arc's, whose counts stand ahead of the lock. */
static struct lock *words_of(const struct target *t, size_t *count)
{
	struct lock *of = need(calloc(3 * guard_count + 1, sizeof(*of)));

	*count = 0;
	for (size_t i = 0; i < guard_count; i++) {
		of[(*count)++].addr = guards[i].semaphore;
		of[(*count)++].addr = guards[i].lock;
		if (tokio.owned_guards && guards[i].kind == CTT_ON_MUTEX)
			of[(*count)++].addr = guards[i].lock - COUNTS;
	}
	qsort(of, *count, sizeof(*of), by_number);
	for (size_t i = 0; i < *count; i++)
		set_around(t, &of[i]);
	return of;
}

static bool doubted(struct lock *of, size_t count, const struct guard *g)
{
	uint64_t own[] = { g->semaphore, g->lock, g->lock - COUNTS };
	bool any = false;

	for (int k = 0; k < 3; k++) {
		size_t i = first_from(of, count, sizeof(*of), own[k]);

		any |= i < count && of[i].addr == own[k] && of[i].doubted;
	}
	return any;
}

/* Of channels: does anybody wait for what that end gives? */
static void note_waits(struct hash *waited, const struct wait_on *on)
{
	if (on->known && (on->kind == CTT_ON_CHAN || on->kind == CTT_ON_ROOM) &&
		!hash_find(waited, on->value ^ on->kind))
		hash_add(waited, on->value ^ on->kind, (void *)yes);
}

static struct hash all_waited(const struct snapshot *s)
{
	struct hash waited = { .slot = NULL };

	for (size_t i = 0; i < s->tasks; i++) {
		note_waits(&waited, &s->task[i].on);
		for (size_t k = 0; k < s->task[i].legs; k++)
			note_waits(&waited, &s->task[i].leg[k].on);
	}
	return waited;
}

static int by_lock(const void *a, const void *b)
{
	const struct guard *x = a, *y = b;

	return x->semaphore != y->semaphore ? (x->semaphore < y->semaphore ? -1 : 1) :
		x->kind != y->kind          ? (x->kind < y->kind ? -1 : 1) :
		x->task != y->task          ? (x->task < y->task ? -1 : 1) :
					      0;
}

/* One guard of each lock that is held, and of each end that somebody waits for. */
static void keep_used(const struct snapshot *s)
{
	struct hash waited = all_waited(s);
	struct guard last = { .semaphore = 0 };
	size_t kept = 0;

	qsort(guards, guard_count, sizeof(*guards), by_lock);
	for (size_t i = 0; i < guard_count; i++) {
		struct guard g = guards[i];
		bool again = i && !by_lock(&g, &last),
		     of_use = g.kind == CTT_ON_MUTEX ? !is_free(s->target, &g) :
			     hash_find(&waited, g.semaphore ^ g.kind) != NULL;

		last = g;
		if (!again && of_use)
			guards[kept++] = g;
	}
	guard_count = kept;
	hash_free(&waited);
}

/* Of which nobody else may have it, as far as is known. */
static bool any_sure(const struct doubts *d)
{
	for (size_t i = 0; i < guard_count; i++)
		if (!guards[i].given && !doubted(d->of, d->count, &guards[i]))
			return true;
	return false;
}

void locks_report(struct snapshot *s)
{
	const struct target *t = s->target;
	struct doubts d = { .low = UINT64_MAX };
	bool withheld = mem_withheld(t);

	if (!guard_count || t->moving)
		return;
	keep_used(s);
	d.of = words_of(t, &d.count);
	merge_ranges(known.item, &known.count);
	merge_ranges(opaque.item, &opaque.count);
	for (size_t i = 0; i < d.count; i++) {
		d.of[i].doubted |= withheld;
		d.low = d.of[i].around < d.low ? d.of[i].around : d.low;
	}
	for (size_t step = 8; step && any_sure(&d); step /= 8)
		doubt_memory(t, d.of, d.count, step);
	for (size_t i = 0; i < t->threads && any_sure(&d); i++)
		thread_words(t, &t->thread[i], doubt_word, &d);
	for (size_t i = 0; i < guard_count; i++) {
		const struct guard *g = &guards[i];

		if (g->given || !doubted(d.of, d.count, g))
			snap_hold(s,
				(struct hold){ g->task, { g->kind, true, false, g->semaphore },
					false });
	}
	free(d.of);
}

void locks_forget(void)
{
	reach_forget();
	free(guards);
	free(known.item);
	free(opaque.item);
	hash_free(&may_hold);
	guards = NULL;
	guard_count = guard_room = 0;
	memset(&known, 0, sizeof(known));
	memset(&opaque, 0, sizeof(opaque));
}
